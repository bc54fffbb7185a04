import { LIMITS } from "../base/limits.ts";
import { crc32 } from "../digest/crc32.ts";
import { release, retainSlice } from "../memory/pooled-buffer.ts";
import { PartsReader } from "./format.ts";

export type PayloadSource = AsyncIterable<Uint8Array> | Uint8Array;

/** Some data on its way to the disk, in the parts it came in. */
export interface Piece {
  readonly parts: readonly Uint8Array[];
  readonly length: number;
  /**
   * Those of its whole chunks, each alone: computed as the bytes came, while the processor had them at hand.
   */
  readonly crcs?: readonly number[];
  /** It is on the disk: memory that was given away with it can be used again. */
  release?(): void;
}

interface CutOptions {
  readonly isPressed?: () => boolean;
  /** How long the source will be, as far as somebody has said so. */
  readonly knownLength?: number;
  /** How long the chunks are whose checksums are wanted. */
  readonly chunkBytes?: number;
}

/**
 * Cuts a source into pieces of at most `bytesMax()`, which is asked anew for each piece; every piece but the
 * last is that long. Parts are passed on as they came: a source gives its buffers away. Only small ones are
 * copied together, so that no client can make us hold a long list. Under pressure a piece goes on before it
 * is full, and so does the one that ends at `knownLength`: a source may take its time to say that it has
 * ended, for it is checked meanwhile.
 */
export async function* cutPieces(
  source: PayloadSource,
  bytesMax: () => number,
  { isPressed = () => false, knownLength = 0, chunkBytes }: CutOptions = {},
): AsyncGenerator<Piece> {
  let pieceBytes = bytesMax();
  let leftBytes = knownLength;
  if (source instanceof Uint8Array) {
    for (let from = 0; from < source.length; from += pieceBytes) {
      const part = source.subarray(from, from + pieceBytes);
      yield { parts: [part], length: part.length };
    }
    return;
  }
  let gathering = new Gathering(chunkBytes);
  // Once it is handed over a piece is the caller's, also if the caller ends us there.
  const handOver = (): Piece => {
    const piece = gathering;
    gathering = new Gathering(chunkBytes);
    return piece;
  };
  const parts = source[Symbol.asyncIterator]();
  let isEnded = false;
  let part: Uint8Array | undefined;
  try {
    // Step by step and not `for await`, which would keep the last part in memory while it waits for the next.
    part = await nextPart(parts);
    while (part !== undefined) {
      for (let from = 0; from < part.length; ) {
        const count = Math.min(part.length - from, pieceBytes - gathering.length);
        gathering.add(retainSlice(part, from, from + count));
        from += count;
        leftBytes -= count;
        if (gathering.length === pieceBytes || leftBytes === 0) {
          yield handOver();
          pieceBytes = bytesMax();
        }
      }
      release(part);
      part = undefined;
      if (gathering.length >= LIMITS.earlyPieceBytes && isPressed()) {
        yield handOver();
        pieceBytes = bytesMax();
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

class Gathering implements Piece {
  readonly parts: Uint8Array[] = [];
  readonly crcs: number[] = [];
  length = 0;
  readonly #chunkBytes: number;
  readonly #summed = new PartsReader(this.parts);
  /** The last part while it is a copy with room left, and how much of it is used. */
  #gathered: Buffer | undefined;
  #gatheredBytes = 0;
  #gatheredParts = 0;

  constructor(chunkBytes = Number.POSITIVE_INFINITY) {
    this.#chunkBytes = chunkBytes;
  }

  add(part: Uint8Array): void {
    this.length += part.length;
    this.#keep(part);
    while (this.length >= (this.crcs.length + 1) * this.#chunkBytes) this.#sumChunk();
  }

  #sumChunk(): void {
    let crc = 0;
    for (let left = this.#chunkBytes; left > 0; ) {
      const bytes = this.#summed.next(left);
      crc = crc32(bytes, crc);
      left -= bytes.length;
    }
    this.crcs.push(crc);
  }

  #keep(part: Uint8Array): void {
    if (part.length >= LIMITS.gatheredPartBytes) {
      this.parts.push(part);
      this.#gathered = undefined;
      return;
    }
    if (this.#gathered === undefined || this.#gathered.length - this.#gatheredBytes < part.length) {
      // A little at first: many clients never send enough to fill more.
      const isFirst = this.#gatheredParts++ === 0;
      this.#gathered = Buffer.allocUnsafeSlow(isFirst ? 2 * LIMITS.gatheredPartBytes : LIMITS.chunkBytes);
      this.#gatheredBytes = 0;
    } else {
      this.parts.pop();
    }
    this.#gathered.set(part, this.#gatheredBytes);
    release(part);
    this.#gatheredBytes += part.length;
    this.parts.push(this.#gathered.subarray(0, this.#gatheredBytes));
  }

  release(): void {
    for (const part of this.parts) release(part);
  }
}
