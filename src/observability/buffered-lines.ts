import { closeSync, openSync, write, writeSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { pause } from "../base/clock.ts";
import { ConfigError } from "../base/config-error.ts";
import { errorCode } from "../base/faults.ts";
import { OWNER_FILE_MODE } from "../base/file-modes.ts";
import { LIMITS } from "../base/limits.ts";
import { makeDirectory } from "../base/make-directory.ts";

/**
 * Collects lines in memory and writes them in large chunks, off the request path.
 *
 * The buffered destination of pino measures its whole buffer with each line, and keeps the process from
 * ending on a full disk. Here a line costs a push, a chunk that cannot be written is dropped and reported
 * once, and lines are dropped when they come faster than the disk can write.
 */
export interface LineWriter {
  write(line: string): void;
  /** Starts writing the collected lines. */
  flush(): void;
  /** Opens the file again by its name, after it was rotated. */
  reopen(): void;
  /** Resolves when all lines are written. Later lines are dropped. */
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
      throw new ConfigError(`cannot open the log file ${target}: ${(error as Error).message}`);
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
    // A write in progress goes to the old file, which is closed after it.
    const old = this.#file;
    try {
      this.#file = this.#open();
    } catch (error) {
      this.#report(error as Error);
      return;
    }
    const close = () => closeSync(old);
    if (this.#writing === undefined) close();
    else this.#writing.then(close, close);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writing;
    this.flush();
    await this.#writing;
    if (this.#target !== "-") closeSync(this.#file);
  }

  /** For a process that ends without an orderly shutdown. */
  flushSync(): void {
    const chunk = this.#drainBuffer();
    if (chunk.length === 0 || this.#isClosed) return;
    try {
      writeSync(this.#file, chunk);
    } catch (error) {
      this.#report(error as Error);
    }
  }

  #open(): number {
    if (this.#target === "-") return STDOUT;
    makeDirectory(dirname(this.#target));
    return openSync(this.#target, "a", OWNER_FILE_MODE);
  }

  #drainBuffer(): Buffer {
    const chunk = Buffer.from(this.#waiting.join(""));
    this.#waiting = [];
    this.#waitingChars = 0;
    return chunk;
  }

  async #drain(): Promise<void> {
    do {
      const chunk = this.#drainBuffer();
      try {
        await writeAll(this.#file, chunk);
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

const writeAsync = promisify(write);

async function writeAll(file: number, chunk: Buffer): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    try {
      at += (await writeAsync(file, chunk, at, chunk.length - at, null)).bytesWritten;
    } catch (error) {
      // stdout is a pipe whose reader is slow.
      if (errorCode(error) !== "EAGAIN") throw error;
      await pause(LIMITS.logRetryMillis);
    }
  }
}
