import { assert } from "../base/assert.ts";
import { KIB, LIMITS } from "../base/limits.ts";
import { SharedMemory, WASM_PAGE_BYTES } from "./shared-memory.ts";

/**
 * Memory that WebAssembly and the thread of digests see as well: payload that lies in it is checked and
 * digested where it is, without a copy. The system finds real memory only for what is used of it.
 */
let memory: SharedMemory | undefined;
let reservedBytes = 0;
const buffers = new WeakSet<ArrayBufferLike>();

export function commonMemory(): SharedMemory {
  memory ??= new SharedMemory(LIMITS.commonMemoryBytes / WASM_PAGE_BYTES);
  return memory;
}

/** A part that is kept for ever: where it begins. Undefined when there is no room for it. */
export function reserveCommon(bytes: number): number | undefined {
  const at = reservedBytes;
  const end = at + Math.ceil(bytes / WASM_PAGE_BYTES) * WASM_PAGE_BYTES;
  if (end > LIMITS.commonMemoryBytes) return undefined;
  reservedBytes = end;
  return at;
}

/** Whether bytes lie in it: they begin at their `byteOffset`. */
export function isCommon(bytes: Uint8Array): boolean {
  return buffers.has(bytes.buffer);
}

const PAGE_BYTES = 4 * KIB;

/**
 * Free ranges of what parts of all sizes share. The lowest that fits is used, so that few pages are ever
 * touched.
 */
class Spans {
  /** In the order of their addresses; neighbours are one. */
  readonly #free: { at: number; bytes: number }[] = [];

  /** None that ends behind `end`. */
  acquire(bytes: number, end: number): number | undefined {
    const index = this.#free.findIndex((span) => span.bytes >= bytes && span.at + bytes <= end);
    const span = this.#free[index];
    if (span === undefined) return undefined;
    const { at } = span;
    span.at += bytes;
    span.bytes -= bytes;
    if (span.bytes === 0) this.#free.splice(index, 1);
    return at;
  }

  release(at: number, bytes: number): void {
    const found = this.#free.findIndex((span) => span.at > at);
    const index = found < 0 ? this.#free.length : found;
    const [before, after] = [this.#free[index - 1], this.#free[index]];
    const joinsBefore = before !== undefined && before.at + before.bytes === at;
    const joinsAfter = after !== undefined && at + bytes === after.at;
    if (joinsBefore) {
      before.bytes += bytes + (joinsAfter ? after.bytes : 0);
      if (joinsAfter) this.#free.splice(index, 1);
    } else if (joinsAfter) {
      after.at = at;
      after.bytes += bytes;
    } else this.#free.splice(index, 0, { at, bytes });
  }
}

interface PartSpans {
  readonly spans: Spans;
  readonly at: number;
  /** Where the pages begin that no part has ever used: the system has found no memory for them yet. */
  freshAt: number;
}

let partSpans: PartSpans | undefined;

/**
 * Made when the first part is wanted. What is reserved later finds its place behind it: see
 * `commonPartsBytesMax`.
 */
function spansOfParts(): PartSpans {
  if (partSpans !== undefined) return partSpans;
  const at = reserveCommon(LIMITS.commonPartsBytesMax);
  assert(at !== undefined, "parts have their place in the common memory");
  partSpans = { spans: new Spans(), at, freshAt: at + LIMITS.commonFreshBytesMax };
  partSpans.spans.release(at, LIMITS.commonPartsBytesMax);
  return partSpans;
}

/**
 * Parts of one size, which share their memory with those of other sizes: what one kind of transfer has
 * touched, the next one uses. Each has a buffer of its own over the whole memory, so the garbage collector
 * knows when there are no bytes of a part any more, as with any other memory: a part that is not released is
 * found.
 */
export class CommonParts {
  readonly #partBytes: number;
  /** In whole pages of the system. */
  readonly #spanBytes: number;
  readonly #countMax: number;
  #count = 0;
  readonly #collector = new FinalizationRegistry((at: number) => this.#release(at));

  constructor(partBytes: number, bytesMax: number) {
    this.#partBytes = partBytes;
    this.#spanBytes = Math.ceil(partBytes / PAGE_BYTES) * PAGE_BYTES;
    this.#countMax = Math.floor(bytesMax / partBytes);
  }

  /** There are as many as there may be: memory of other parts would be of no use. */
  get isFull(): boolean {
    return this.#count === this.#countMax;
  }

  /**
   * Undefined when all of them are in use, or all of the memory that parts share. Beyond the first of it,
   * memory that was never used is touched only for a caller that asks for it: when no part that nobody needs
   * can be released instead.
   */
  acquire(mayTouch = true): Buffer | undefined {
    if (this.isFull) return undefined;
    const shared = spansOfParts();
    const end = mayTouch ? shared.at + LIMITS.commonPartsBytesMax : shared.freshAt;
    const at = shared.spans.acquire(this.#spanBytes, end);
    if (at === undefined) return undefined;
    shared.freshAt = Math.max(shared.freshAt, at + this.#spanBytes);
    this.#count++;
    const buffer = commonMemory().newBuffer();
    buffers.add(buffer);
    this.#collector.register(buffer, at, buffer);
    return Buffer.from(buffer, at, this.#partBytes);
  }

  /** Its memory is for other parts at once: the caller has the only buffer with bytes of it, and drops it. */
  release(part: Buffer): void {
    this.#collector.unregister(part.buffer);
    this.#release(part.byteOffset);
  }

  #release(at: number): void {
    this.#count--;
    spansOfParts().spans.release(at, this.#spanBytes);
  }
}
