import { KIB } from "../../base/limits.ts";
import { CommonParts } from "../../memory/common-memory.ts";
import { SMB_LIMITS } from "../limits.ts";

/**
 * Buffers for the messages of all connections. A long one is used again once its message is done: made anew for every
 * WRITE, a gigabyte of them has the garbage collector look through the whole heap some thirty times. Who does not give
 * a buffer back does no harm: it is garbage like any other. Long ones lie in the common memory while there is room, for
 * the checksum of what they bring.
 *
 * Who takes a buffer fills all of it before anybody reads it, so nothing of an earlier message shows.
 */
const SMALL_BYTES = 64 * KIB;

export class FrameMemory {
  /** By the size they really have. */
  readonly #free = new Map<number, Buffer[]>();
  readonly #common = new Map<number, CommonParts>();
  /** Those that are out, whole: nobody gives one back twice, or one that is not ours. */
  readonly #borrowed = new WeakMap<ArrayBufferLike, Buffer>();
  #freeBytes = 0;
  #isUsed = false;

  get freeBytes(): number {
    return this.#freeBytes;
  }

  take(length: number): Buffer {
    if (length < SMALL_BYTES) return Buffer.allocUnsafe(length);
    this.#isUsed = true;
    const bytes = sizeFor(length);
    const kept = this.#free.get(bytes)?.pop();
    if (kept !== undefined) this.#freeBytes -= bytes;
    const whole = kept ?? this.#make(bytes);
    this.#borrowed.set(whole.buffer, whole);
    return whole.subarray(0, length);
  }

  #make(bytes: number): Buffer {
    let parts = this.#common.get(bytes);
    if (parts === undefined) {
      parts = new CommonParts(bytes, SMB_LIMITS.commonFrameBytesMax);
      this.#common.set(bytes, parts);
    }
    return parts.take() ?? Buffer.allocUnsafeSlow(bytes);
  }

  /** Nobody looks any more at this buffer, or at any part of the one that it is a part of. */
  give(frame: Buffer): void {
    const whole = this.#borrowed.get(frame.buffer);
    if (whole === undefined) return;
    this.#borrowed.delete(frame.buffer);
    const bytes = whole.length;
    if (this.#freeBytes + bytes > SMB_LIMITS.freeFrameBytesMax) return;
    const kept = this.#free.get(bytes);
    if (kept === undefined) this.#free.set(bytes, [whole]);
    else kept.push(whole);
    this.#freeBytes += bytes;
  }

  /** Lets go of what nobody has asked for since the last call. */
  sweep(): void {
    if (!this.#isUsed) {
      this.#free.clear();
      this.#freeBytes = 0;
    }
    this.#isUsed = false;
  }
}

/** Few sizes, so that what one message leaves fits the next: a power of two and room for what is around a payload. */
function sizeFor(length: number): number {
  let payload = SMALL_BYTES;
  while (payload + SMB_LIMITS.frameOverheadBytes < length) payload *= 2;
  return payload + SMB_LIMITS.frameOverheadBytes;
}
