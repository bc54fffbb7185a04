import { closeSync, mkdirSync, openSync, write, writeSync } from "node:fs";
import { dirname } from "node:path";
import { pause } from "./clock.js";
import { ConfigError } from "./config-error.js";
import { errorCode } from "./faults.js";
import { LIMITS } from "./limits.js";
const STDOUT = 1;
export class BufferedLines {
    #target;
    #onError;
    #file;
    #waiting = [];
    #waitingChars = 0;
    #writing;
    #isClosed = false;
    #reported;
    /** `target` is a path, or "-" for stdout. */
    constructor(target, onError) {
        this.#target = target;
        this.#onError = onError;
        try {
            this.#file = this.#open();
        }
        catch (error) {
            throw new ConfigError(`log file ${target}`, `cannot be opened: ${error.message}`);
        }
    }
    write(line) {
        if (this.#isClosed || this.#waitingChars > LIMITS.logWaitingCharsMax)
            return;
        this.#waiting.push(line);
        this.#waitingChars += line.length;
        if (this.#waitingChars >= LIMITS.accessLogBufferBytes)
            this.flush();
    }
    flush() {
        if (this.#waitingChars === 0 || this.#writing !== undefined)
            return;
        this.#writing = this.#drain().finally(() => {
            this.#writing = undefined;
        });
    }
    reopen() {
        if (this.#target === "-" || this.#isClosed)
            return;
        // What is being written goes to the old file, to its end; only then may its number be given back.
        const old = this.#file;
        try {
            this.#file = this.#open();
        }
        catch (error) {
            this.#report(error);
            return;
        }
        const release = () => closeSync(old);
        if (this.#writing === undefined)
            release();
        else
            this.#writing.then(release, release);
    }
    async close() {
        if (this.#isClosed)
            return;
        this.#isClosed = true;
        await this.#writing;
        this.flush();
        await this.#writing;
        if (this.#target !== "-")
            closeSync(this.#file);
    }
    /** For the last moment of a process that stops without an orderly end. */
    flushSync() {
        const piece = this.#takeWaiting();
        if (piece.length === 0 || this.#isClosed)
            return;
        try {
            writeSync(this.#file, piece);
        }
        catch (error) {
            this.#report(error);
        }
    }
    #open() {
        if (this.#target === "-")
            return STDOUT;
        mkdirSync(dirname(this.#target), { recursive: true });
        return openSync(this.#target, "a");
    }
    #takeWaiting() {
        const piece = Buffer.from(this.#waiting.join(""));
        this.#waiting = [];
        this.#waitingChars = 0;
        return piece;
    }
    async #drain() {
        do {
            const piece = this.#takeWaiting();
            try {
                await writeAll(this.#file, piece);
                this.#reported = undefined;
            }
            catch (error) {
                this.#report(error);
                return;
            }
        } while (this.#waitingChars >= LIMITS.accessLogBufferBytes);
    }
    #report(error) {
        if (error.message === this.#reported)
            return;
        this.#reported = error.message;
        this.#onError(error);
    }
}
async function writeAll(file, piece) {
    for (let at = 0; at < piece.length;) {
        try {
            at += await new Promise((resolve, reject) => {
                write(file, piece, at, piece.length - at, null, (error, count) => error ? reject(error) : resolve(count));
            });
        }
        catch (error) {
            // Whoever reads our stdout through a pipe is slow: wait for it.
            if (errorCode(error) !== "EAGAIN")
                throw error;
            await pause(LIMITS.logRetryMillis);
        }
    }
}
