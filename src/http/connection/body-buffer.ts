import { LIMITS } from "../../base/limits.ts";
import { bufferPool } from "../../memory/buffer-pool.ts";
import type { OwnedChunk, PooledBuffer } from "../../memory/pooled-buffer.ts";

/** The buffer that a connection reads a fast body into. Bodies that arrive in small chunks have none. */
export class BodyBuffer {
  /** A read of so many bytes shows that the body is fast enough for a buffer. */
  readonly #fastBytes: number;
  #isFast = false;
  #buffer: PooledBuffer | undefined;
  #filledBytes = 0;

  constructor(isTls: boolean) {
    this.#fastBytes = isTls ? LIMITS.fastRecordBytes : LIMITS.fastChunkBytes;
  }

  /** Where the next read goes; undefined for the buffer that all connections borrow. */
  next(isInBody: boolean): Buffer | undefined {
    const isUsed = this.#isFast && isInBody;
    if (!isUsed || this.#filledBytes > LIMITS.bodyBufferBytes / 2) this.release();
    if (isUsed) this.#buffer ??= bufferPool.acquireBodyBuffer();
    return this.#buffer?.borrow(this.#filledBytes);
  }

  /** After each read, wherever it went: decides whether the next one is worth a buffer. */
  measure(count: number): boolean {
    this.#isFast = count >= this.#fastBytes;
    return this.#isFast;
  }

  /**
   * The bytes of the last read: owned if it was fast. Slow ones are borrowed, since they would pin a whole
   * buffer.
   */
  filled(count: number, isOwned: boolean): OwnedChunk {
    const from = this.#filledBytes;
    if (!isOwned) return this.#buffer!.borrow(from, from + count);
    this.#filledBytes += count;
    return this.#buffer!.retainSlice(from, from + count);
  }

  release(): void {
    if (this.#buffer !== undefined) bufferPool.releaseBodyBuffer(this.#buffer);
    this.#buffer = undefined;
    this.#filledBytes = 0;
  }
}
