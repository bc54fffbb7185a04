import { LIMITS } from "../base/limits.ts";
import { crc32 } from "../digest/crc32.ts";
import { release, retainSlice } from "../memory/pooled-buffer.ts";
import { PartsReader } from "./format.ts";

export type PayloadSource = AsyncIterable<Uint8Array> | Uint8Array;

/** Payload that goes to the disk as one write, in the parts it arrived in. */
export interface WriteBuffer {
  readonly parts: readonly Uint8Array[];
  readonly length: number;
  /** CRC of each whole chunk alone, computed while the bytes were in the processor's cache. */
  readonly crcs?: readonly number[];
  /** Releases the pooled memory of the parts, after the write. */
  release?(): void;
}

interface FillOptions {
  /** Whether memory is short, so that a buffer is written before it is full. */
  readonly isPressed?: () => boolean;
  /** The declared length of the source, 0 when unknown. */
  readonly declaredLength?: number;
  /** Length of the chunks to checksum. */
  readonly chunkBytes?: number;
}

/**
 * Gathers a source into buffers of `bytesMax()` bytes, evaluated for each buffer; only the last is shorter.
 * The source gives up its parts, which are passed on without copying; only small parts are copied together,
 * so that no client can build a long list. The buffer that reaches `declaredLength` is handed over at once,
 * because a source may compute its digest before it ends.
 */
export async function* fillWriteBuffers(
  source: PayloadSource,
  bytesMax: () => number,
  { isPressed = () => false, declaredLength = 0, chunkBytes }: FillOptions = {},
): AsyncGenerator<WriteBuffer> {
  let fullBytes = bytesMax();
  let leftBytes = declaredLength;
  if (source instanceof Uint8Array) {
    for (let from = 0; from < source.length; from += fullBytes) {
      const part = source.subarray(from, from + fullBytes);
      yield { parts: [part], length: part.length };
    }
    return;
  }
  let gathering = new GatheredBuffer(chunkBytes);
  // A buffer belongs to the caller once it is handed over, even if the caller ends the generator there.
  const handOver = (): WriteBuffer => {
    const full = gathering;
    gathering = new GatheredBuffer(chunkBytes);
    return full;
  };
  const parts = source[Symbol.asyncIterator]();
  let isEnded = false;
  let part: Uint8Array | undefined;
  try {
    // Not `for await`, which would keep the last part in memory while it waits for the next.
    part = await nextPart(parts);
    while (part !== undefined) {
      for (let from = 0; from < part.length; ) {
        const count = Math.min(part.length - from, fullBytes - gathering.length);
        gathering.add(retainSlice(part, from, from + count));
        from += count;
        leftBytes -= count;
        if (gathering.length === fullBytes || leftBytes === 0) {
          yield handOver();
          fullBytes = bytesMax();
        }
      }
      release(part);
      part = undefined;
      if (gathering.length >= LIMITS.earlyWriteBytes && isPressed()) {
        yield handOver();
        fullBytes = bytesMax();
      }
      part = await nextPart(parts);
    }
    isEnded = true;
  } finally {
    if (!isEnded) {
      if (part !== undefined) release(part);
      gathering.release();
      await parts.return?.();
    }
  }
  if (gathering.length > 0) yield gathering;
}

async function nextPart(parts: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
  const step = await parts.next();
  return step.done === true ? undefined : step.value;
}

class GatheredBuffer implements WriteBuffer {
  readonly parts: Uint8Array[] = [];
  readonly crcs: number[] = [];
  length = 0;
  readonly #chunkBytes: number;
  readonly #unsummed = new PartsReader(this.parts);
  /** The memory of the last part while small parts are copied into it, and how much of it is used. */
  #copies: Buffer | undefined;
  #copiedBytes = 0;
  #copiesMade = 0;

  constructor(chunkBytes = Number.POSITIVE_INFINITY) {
    this.#chunkBytes = chunkBytes;
  }

  add(part: Uint8Array): void {
    this.length += part.length;
    if (part.length < LIMITS.gatheredPartBytes) this.#copy(part);
    else {
      this.parts.push(part);
      this.#copies = undefined;
    }
    while (this.length >= (this.crcs.length + 1) * this.#chunkBytes) this.#sumChunk();
  }

  #sumChunk(): void {
    let crc = 0;
    for (let left = this.#chunkBytes; left > 0; ) {
      const bytes = this.#unsummed.next(left);
      crc = crc32(bytes, crc);
      left -= bytes.length;
    }
    this.crcs.push(crc);
  }

  #copy(part: Uint8Array): void {
    if (this.#copies === undefined || this.#copies.length - this.#copiedBytes < part.length) {
      // Small at first: many clients never send enough to fill more.
      const isFirst = this.#copiesMade++ === 0;
      this.#copies = Buffer.allocUnsafeSlow(isFirst ? 2 * LIMITS.gatheredPartBytes : LIMITS.chunkBytes);
      this.#copiedBytes = 0;
    } else {
      this.parts.pop();
    }
    this.#copies.set(part, this.#copiedBytes);
    release(part);
    this.#copiedBytes += part.length;
    this.parts.push(this.#copies.subarray(0, this.#copiedBytes));
  }

  release(): void {
    for (const part of this.parts) release(part);
  }
}
