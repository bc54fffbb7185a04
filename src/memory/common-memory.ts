import { assert } from "../base/assert.ts";
import { KIB, LIMITS } from "../base/limits.ts";
import { SharedMemory, WASM_PAGE_BYTES } from "./shared-memory.ts";

/**
 * Memory that this thread shares with WebAssembly and the digest thread: they check and digest payload in it
 * without a copy. The system provides pages only for the bytes that were touched. Areas of fixed use
 * (`reserve`) and one region for the slabs of the buffer pool lie in it one behind the other.
 */
class CommonMemory {
  #shared: SharedMemory | undefined;
  #reservedBytes = 0;
  #slabs: SlabRegion | undefined;
  readonly #buffers = new WeakSet<ArrayBufferLike>();

  get shared(): SharedMemory {
    this.#shared ??= new SharedMemory(LIMITS.commonMemoryBytes / WASM_PAGE_BYTES);
    return this.#shared;
  }

  /** Where an area begins that is never released. Undefined when the memory is too small for it. */
  reserve(bytes: number): number | undefined {
    const at = this.#reservedBytes;
    const end = at + Math.ceil(bytes / WASM_PAGE_BYTES) * WASM_PAGE_BYTES;
    if (end > LIMITS.commonMemoryBytes) return undefined;
    this.#reservedBytes = end;
    return at;
  }

  /** Whether bytes lie in the common memory; if so, at their `byteOffset`. */
  includes(bytes: Uint8Array): boolean {
    return this.#buffers.has(bytes.buffer);
  }

  /** A buffer of its own over the whole memory. */
  newBuffer(): SharedArrayBuffer {
    const buffer = this.shared.newBuffer();
    this.#buffers.add(buffer);
    return buffer;
  }

  /** Reserved when the first slab is needed; `commonPartsBytesMax` leaves enough for later reservations. */
  get slabs(): SlabRegion {
    if (this.#slabs !== undefined) return this.#slabs;
    const at = this.reserve(LIMITS.commonPartsBytesMax);
    assert(at !== undefined, "the common memory is large enough for slabs");
    this.#slabs = new SlabRegion(at, LIMITS.commonPartsBytesMax);
    return this.#slabs;
  }
}

/** One for the process. */
export const commonMemory = new CommonMemory();

const PAGE_BYTES = 4 * KIB;

/**
 * Free ranges of the region that slabs of all sizes share. The lowest fit wins, so few pages are ever
 * touched.
 */
class SlabRegion {
  readonly #end: number;
  /** Where the pages begin that no slab has ever used: the system has provided no memory for them yet. */
  #freshAt: number;
  /** In the order of their addresses; neighbours are joined. */
  readonly #free: { at: number; bytes: number }[];

  constructor(at: number, bytes: number) {
    this.#end = at + bytes;
    this.#freshAt = at + LIMITS.commonFreshBytesMax;
    this.#free = [{ at, bytes }];
  }

  acquire(bytes: number, mayTouch: boolean): number | undefined {
    const end = mayTouch ? this.#end : this.#freshAt;
    const index = this.#free.findIndex((range) => range.bytes >= bytes && range.at + bytes <= end);
    const range = this.#free[index];
    if (range === undefined) return undefined;
    const { at } = range;
    range.at += bytes;
    range.bytes -= bytes;
    if (range.bytes === 0) this.#free.splice(index, 1);
    this.#freshAt = Math.max(this.#freshAt, at + bytes);
    return at;
  }

  release(at: number, bytes: number): void {
    const found = this.#free.findIndex((range) => range.at > at);
    const index = found < 0 ? this.#free.length : found;
    const [before, after] = [this.#free[index - 1], this.#free[index]];
    const range = { at, bytes };
    const joinsBefore = before !== undefined && before.at + before.bytes === at;
    const joinsAfter = after !== undefined && at + bytes === after.at;
    if (joinsBefore) {
      range.at = before.at;
      range.bytes += before.bytes;
    }
    if (joinsAfter) range.bytes += after.bytes;
    const joined = Number(joinsBefore) + Number(joinsAfter);
    this.#free.splice(joinsBefore ? index - 1 : index, joined, range);
  }
}

/**
 * Slabs of one size. They share the region with those of other sizes, so the next kind of transfer uses pages
 * that an earlier one has touched. Each slab has an ArrayBuffer of its own over the whole memory, so the
 * garbage collector finds a slab that was never released once no view of it is left.
 */
export class CommonSlabs {
  readonly #slabBytes: number;
  /** In whole pages of the system. */
  readonly #rangeBytes: number;
  readonly #countMax: number;
  #count = 0;
  readonly #collector = new FinalizationRegistry((at: number) => this.#release(at));

  constructor(slabBytes: number, bytesMax: number) {
    this.#slabBytes = slabBytes;
    this.#rangeBytes = Math.ceil(slabBytes / PAGE_BYTES) * PAGE_BYTES;
    this.#countMax = Math.floor(bytesMax / slabBytes);
  }

  /** This size has all the slabs it may have: evicting those of another size would not help. */
  get isFull(): boolean {
    return this.#count === this.#countMax;
  }

  /**
   * Undefined when all slabs of this size, or all of the region, are in use. `mayTouch` allows pages that
   * were never used; a caller first tries to evict free slabs instead.
   */
  acquire(mayTouch = true): Buffer | undefined {
    if (this.isFull) return undefined;
    const at = commonMemory.slabs.acquire(this.#rangeBytes, mayTouch);
    if (at === undefined) return undefined;
    this.#count++;
    const buffer = commonMemory.newBuffer();
    this.#collector.register(buffer, at, buffer);
    return Buffer.from(buffer, at, this.#slabBytes);
  }

  /** Frees the memory at once. The caller drops the slab, and no other view of it is left. */
  release(slab: Buffer): void {
    this.#collector.unregister(slab.buffer);
    this.#release(slab.byteOffset);
  }

  #release(at: number): void {
    this.#count--;
    commonMemory.slabs.release(at, this.#rangeBytes);
  }
}
