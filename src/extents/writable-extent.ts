import { isOutOfSpace, isTransientFault, OutOfSpace, StorageFault } from "../base/faults.ts";
import { LIMITS } from "../base/limits.ts";
import { bytesIn, type DeviceFile } from "./device.ts";
import { type ExtentShape, FILE_HEADER_BYTES, fileNameOf, frameParts } from "./format.ts";
import type { WriteBuffer } from "./write-buffers.ts";

/** Reserved space in an extent. */
export interface Spot {
  readonly extent: WritableExtent;
  readonly offset: number;
}

/** A small framed buffer that waits for the write before it. */
interface QueuedWrite {
  readonly parts: readonly Uint8Array[];
  readonly offset: number;
  readonly bytes: number;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * An extent this process appends to. An append claims space at its end before it writes, so concurrent
 * appends never overlap. Space whose write failed stays dead unless it is the last: no slice will ever point
 * to it.
 */
export class WritableExtent {
  readonly id: bigint;
  readonly file: DeviceFile;
  readonly #shape: ExtentShape;
  #tail = FILE_HEADER_BYTES;
  /** Appends that claimed space here and are not released: their slices may not be in any record yet. */
  #pending = 0;
  /** Released space before the tail: its end, and its start. */
  readonly #unused = new Map<number, number>();
  #isRetired = false;
  #isLeft = false;
  #queue: QueuedWrite[] = [];
  #isWriting = false;

  constructor(id: bigint, file: DeviceFile, shape: ExtentShape) {
    this.id = id;
    this.file = file;
    this.#shape = shape;
  }

  get tail(): number {
    return this.#tail;
  }

  get freeBytes(): number {
    return this.#isRetired ? 0 : this.#shape.extentBytesMax - this.#tail;
  }

  get isPending(): boolean {
    return this.#pending > 0;
  }

  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** Further claims fail. */
  retire(): void {
    this.#isRetired = true;
  }

  ref(): void {
    this.#pending++;
  }

  unref(): void {
    this.#pending--;
  }

  /** True once: when the extent is retired and every append here has been released. */
  leave(): boolean {
    if (this.#isLeft || !this.#isRetired || this.#pending > 0) return false;
    this.#isLeft = true;
    return true;
  }

  /** Undefined when `bytes` do not fit. */
  claim(bytes: number): Spot | undefined {
    // An empty extent accepts any length: compaction may move a slice from a time of larger extents.
    const isFull = this.#tail + bytes > this.#shape.extentBytesMax && this.#tail > FILE_HEADER_BYTES;
    if (this.#isRetired || isFull) return undefined;
    const spot = { extent: this, offset: this.#tail };
    this.#tail += bytes;
    return spot;
  }

  /** Released space can be claimed again once it is the last; until then the extent only notes it. */
  release(offset: number, bytes: number): void {
    this.#unused.set(offset + bytes, offset);
    for (let start = this.#unused.get(this.#tail); start !== undefined; start = this.#unused.get(start)) {
      this.#unused.delete(this.#tail);
      this.#tail = start;
    }
  }

  /** Writes a buffer as frames at `offset`, which a claim covers. Returns the bytes written. */
  async write(buffer: WriteBuffer, offset: number): Promise<number> {
    const at = { extent: this.id, offset, length: buffer.length };
    const parts = frameParts(buffer.parts, at, this.#shape, buffer.crcs);
    const bytes = bytesIn(parts);
    if (bytes > LIMITS.gatheredWriteBytesMax) await this.#put(parts, offset);
    else {
      await new Promise<void>((resolve, reject) => {
        this.#queue.push({ parts, offset, bytes, resolve, reject });
        if (!this.#isWriting) void this.#writeQueued();
      });
    }
    return bytes;
  }

  /**
   * Small buffers are written one at a time; adjacent ones that arrive meanwhile become one write, because
   * handing a write to another thread costs more than the bytes of a page.
   */
  async #writeQueued(): Promise<void> {
    this.#isWriting = true;
    while (this.#queue.length > 0) {
      const adjacent = this.#dequeueAdjacent();
      const parts = adjacent.flatMap((write) => write.parts);
      try {
        await this.#put(parts, adjacent[0]!.offset);
        for (const { resolve } of adjacent) resolve();
      } catch (error) {
        for (const { reject } of adjacent) reject(error);
      }
    }
    this.#isWriting = false;
  }

  #dequeueAdjacent(): QueuedWrite[] {
    let [count, parts, bytes] = [0, 0, 0];
    const start = this.#queue[0]!.offset;
    for (const next of this.#queue) {
      if (next.offset !== start + bytes) break;
      parts += next.parts.length;
      bytes += next.bytes;
      if (count > 0 && (parts > LIMITS.writePartsMax || bytes > LIMITS.gatheredWritesBytesMax)) break;
      count++;
    }
    return this.#queue.splice(0, count);
  }

  async #put(parts: readonly Uint8Array[], offset: number): Promise<void> {
    try {
      await this.file.write(parts, offset);
    } catch (error) {
      // After any error but a full disk the file receives no more appends.
      if (!isOutOfSpace(error)) this.retire();
      throw writeFault(fileNameOf(this.id), error);
    }
  }
}

export function writeFault(name: string, cause: unknown): StorageFault {
  if (cause instanceof OutOfSpace) return cause;
  if (isOutOfSpace(cause)) return new OutOfSpace(`no space left to write ${name}`, cause);
  return new StorageFault(`cannot write ${name}`, { cause, isTransient: isTransientFault(cause) });
}

/**
 * Space that one append reserves for several of its write buffers at once. The log writes a body while it
 * still arrives; without a reservation the buffers of concurrent appends would interleave, and each would
 * become a slice with a record of its own.
 */
export class Reservation {
  readonly #spot: Spot;
  readonly #bytes: number;
  #usedBytes = 0;

  constructor(spot: Spot, bytes: number) {
    this.#spot = spot;
    this.#bytes = bytes;
  }

  /** The next `bytes` of the reservation; undefined when they do not fit: the remainder stays dead. */
  next(bytes: number): Spot | undefined {
    if (this.#usedBytes + bytes > this.#bytes) return undefined;
    const spot = { extent: this.#spot.extent, offset: this.#spot.offset + this.#usedBytes };
    this.#usedBytes += bytes;
    return spot;
  }

  /** No write is pending here and no slice will point here. */
  release(): void {
    this.#spot.extent.release(this.#spot.offset, this.#bytes);
  }
}
