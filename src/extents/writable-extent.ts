import { isOutOfSpace, isTransientFault, OutOfSpace, StorageFault } from "../base/faults.ts";
import { LIMITS } from "../base/limits.ts";
import type { DeviceFile } from "./device.ts";
import { type ExtentShape, FILE_HEADER_BYTES, fileNameOf, frameParts } from "./format.ts";
import type { Piece } from "./pieces.ts";

/** Room in an extent that one piece, or one whole slice, has to itself. */
export interface Spot {
  readonly extent: WritableExtent;
  readonly offset: number;
}

/** A framed piece that waits for the write before it. */
interface Waiting {
  readonly parts: readonly Uint8Array[];
  readonly offset: number;
  readonly bytes: number;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * An extent this process appends to. Room is taken from its end before anything is written, so appends that run
 * at the same time never meet. Room whose write failed stays dead, unless it is the last: no slice will ever point into it.
 */
export class WritableExtent {
  readonly id: bigint;
  readonly file: DeviceFile;
  readonly #shape: ExtentShape;
  #tail = FILE_HEADER_BYTES;
  /** Appends that took room here and have not been released: their slices may not be in any record yet. */
  #pending = 0;
  /** Room given back that is not the last: its end, and where it begins. */
  readonly #unused = new Map<number, number>();
  #isRetired = false;
  #isLeft = false;
  #waiting: Waiting[] = [];
  #isWriting = false;

  constructor(id: bigint, file: DeviceFile, shape: ExtentShape) {
    this.id = id;
    this.file = file;
    this.#shape = shape;
  }

  get tail(): number {
    return this.#tail;
  }

  /** What still fits. */
  get freeBytes(): number {
    return this.#isRetired ? 0 : this.#shape.extentBytesMax - this.#tail;
  }

  get isPending(): boolean {
    return this.#pending > 0;
  }

  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** No more room is given from here. */
  retire(): void {
    this.#isRetired = true;
  }

  ref(): void {
    this.#pending++;
  }

  unref(): void {
    this.#pending--;
  }

  /** True once: when nobody will write here again and every append here has been released. */
  leave(): boolean {
    if (this.#isLeft || !this.#isRetired || this.#pending > 0) return false;
    this.#isLeft = true;
    return true;
  }

  /** Undefined when `bytes` do not fit any more. */
  claim(bytes: number): Spot | undefined {
    // An empty extent takes anything: a slice moved here may come from a time of larger extents.
    const isFull = this.#tail + bytes > this.#shape.extentBytesMax && this.#tail > FILE_HEADER_BYTES;
    if (this.#isRetired || isFull) return undefined;
    const spot = { extent: this, offset: this.#tail };
    this.#tail += bytes;
    return spot;
  }

  /** Room that turned out to be of no use is given again once it is the last; until then it is remembered. */
  release(offset: number, bytes: number): void {
    this.#unused.set(offset + bytes, offset);
    for (let start = this.#unused.get(this.#tail); start !== undefined; start = this.#unused.get(start)) {
      this.#unused.delete(this.#tail);
      this.#tail = start;
    }
  }

  /** Frames a piece at `offset`, which a claim covers. Returns the bytes written. */
  async write(piece: Piece, offset: number): Promise<number> {
    const at = { extent: this.id, offset, length: piece.length };
    const parts = frameParts(piece.parts, at, this.#shape, piece.crcs);
    const bytes = parts.reduce((total, part) => total + part.length, 0);
    if (bytes > LIMITS.gatheredWriteBytesMax) await this.#put(parts, offset);
    else {
      await new Promise<void>((resolve, reject) => {
        this.#waiting.push({ parts, offset, bytes, resolve, reject });
        if (!this.#isWriting) void this.#writeWaiting();
      });
    }
    return bytes;
  }

  /**
   * Small pieces go one write at a time. Those that come meanwhile lie side by side and are the next write together:
   * handing a write to another thread costs more than the bytes of a page.
   */
  async #writeWaiting(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const together = this.#takeNeighbours();
      const { offset } = together[0]!;
      const parts = together.flatMap((one) => one.parts);
      try {
        await this.#put(parts, offset);
        for (const { resolve } of together) resolve();
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    this.#isWriting = false;
  }

  #takeNeighbours(): Waiting[] {
    const [first, ...others] = this.#waiting;
    const together = [first!];
    let end = first!.offset + first!.bytes;
    let parts = first!.parts.length;
    let bytes = first!.bytes;
    for (const next of others) {
      parts += next.parts.length;
      bytes += next.bytes;
      const isFull = parts > LIMITS.writePartsMax || bytes > LIMITS.gatheredWritesBytesMax;
      if (next.offset !== end || isFull) break;
      together.push(next);
      end += next.bytes;
    }
    this.#waiting = this.#waiting.slice(together.length);
    return together;
  }

  async #put(parts: readonly Uint8Array[], offset: number): Promise<void> {
    try {
      await this.file.write(parts, offset);
    } catch (error) {
      // Any error but a full disk says that this file is not to be trusted with more.
      if (!isOutOfSpace(error)) this.retire();
      throw writeFault(fileNameOf(this.id), error);
    }
  }
}

export function writeFault(name: string, cause: unknown): StorageFault {
  if (cause instanceof OutOfSpace) return cause;
  if (isOutOfSpace(cause)) {
    return new OutOfSpace(`no space left to write ${name}`, cause);
  }
  return new StorageFault(`cannot write ${name}`, { cause, isTransient: isTransientFault(cause) });
}
