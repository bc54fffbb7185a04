import { closeSync, openSync, write, writeSync } from "node:fs";
import { dirname } from "node:path";
import { pause } from "../base/clock.ts";
import { ConfigError } from "../base/config-error.ts";
import { errorCode } from "../base/faults.ts";
import { OWNER_FILE_MODE } from "../base/file-modes.ts";
import { LIMITS } from "../base/limits.ts";
import { makeDirectory } from "../base/make-directory.ts";

/**
 * Lines gathered in memory and written in large pieces, off the request's path.
 *
 * pino's own buffered destination measures its whole buffer again with each line, and on a full disk it keeps
 * the process from ending; a log must do neither. Here a line costs a push, a piece that cannot be written is
 * given up and reported once, and lines are dropped when they come faster than the disk takes them.
 */
export interface LineWriter {
  write(line: string): void;
  /** Starts writing what has gathered. */
  flush(): void;
  /** Opens the file again by its name, after it was rotated away. */
  reopen(): void;
  /** Settles when everything is out. Later lines are dropped. */
  close(): Promise<void>;
}

const STDOUT = 1;

export class BufferedLines implements LineWriter {
  readonly #target: string;
  readonly #onError: (error: Error) => void;
  #file: number;
  #waiting: string[] = [];
  #waitingChars = 0;
  #writing: Promise<void> | undefined;
  #isClosed = false;
  #reported: string | undefined;

  /** `target` is a path, or "-" for stdout. */
  constructor(target: string, onError: (error: Error) => void) {
    this.#target = target;
    this.#onError = onError;
    try {
      this.#file = this.#open();
    } catch (error) {
      throw new ConfigError(`log file ${target}`, `cannot be opened: ${(error as Error).message}`);
    }
  }

  write(line: string): void {
    if (this.#isClosed || this.#waitingChars > LIMITS.logWaitingCharsMax) return;
    this.#waiting.push(line);
    this.#waitingChars += line.length;
    if (this.#waitingChars >= LIMITS.accessLogBufferBytes) this.flush();
  }

  flush(): void {
    if (this.#waitingChars === 0 || this.#writing !== undefined) return;
    this.#writing = this.#drain().finally(() => {
      this.#writing = undefined;
    });
  }

  reopen(): void {
    if (this.#target === "-" || this.#isClosed) return;
    // What is being written goes to the old file, to its end; only then may its number be given back.
    const old = this.#file;
    try {
      this.#file = this.#open();
    } catch (error) {
      this.#report(error as Error);
      return;
    }
    const release = () => closeSync(old);
    if (this.#writing === undefined) release();
    else this.#writing.then(release, release);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writing;
    this.flush();
    await this.#writing;
    if (this.#target !== "-") closeSync(this.#file);
  }

  /** For the last moment of a process that stops without an orderly end. */
  flushSync(): void {
    const piece = this.#takeWaiting();
    if (piece.length === 0 || this.#isClosed) return;
    try {
      writeSync(this.#file, piece);
    } catch (error) {
      this.#report(error as Error);
    }
  }

  #open(): number {
    if (this.#target === "-") return STDOUT;
    makeDirectory(dirname(this.#target));
    return openSync(this.#target, "a", OWNER_FILE_MODE);
  }

  #takeWaiting(): Buffer {
    const piece = Buffer.from(this.#waiting.join(""));
    this.#waiting = [];
    this.#waitingChars = 0;
    return piece;
  }

  async #drain(): Promise<void> {
    do {
      const piece = this.#takeWaiting();
      try {
        await writeAll(this.#file, piece);
        this.#reported = undefined;
      } catch (error) {
        this.#report(error as Error);
        return;
      }
    } while (this.#waitingChars >= LIMITS.accessLogBufferBytes);
  }

  #report(error: Error): void {
    if (error.message === this.#reported) return;
    this.#reported = error.message;
    this.#onError(error);
  }
}

async function writeAll(file: number, piece: Buffer): Promise<void> {
  for (let at = 0; at < piece.length; ) {
    try {
      at += await new Promise<number>((resolve, reject) => {
        write(file, piece, at, piece.length - at, null, (error, count) =>
          error ? reject(error) : resolve(count),
        );
      });
    } catch (error) {
      // Whoever reads our stdout through a pipe is slow: wait for it.
      if (errorCode(error) !== "EAGAIN") throw error;
      await pause(LIMITS.logRetryMillis);
    }
  }
}
