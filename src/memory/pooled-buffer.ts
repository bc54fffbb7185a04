import { assert } from "../base/assert.ts";

/** Memory of a pool. The pool uses it again once no handle on it is left. */
export interface Slab {
  readonly memory: Buffer;
  readonly owner: { recycle(slab: Slab): void };
  /** Handles that are not released. */
  handles: number;
}

/** The constructor of Uint8Array, which respects a subclass; the one of Buffer does not. */
const BufferView = Uint8Array as unknown as new (
  memory: ArrayBufferLike,
  offset: number,
  length: number,
) => Buffer;

/**
 * Bytes in the memory of a pool. The code that receives a `PooledBuffer` owns one reference to it and calls
 * `release` exactly once, or passes the reference on. A plain Buffer, such as any `subarray` of this one, is
 * borrowed: it is valid only while its lender keeps the reference.
 *
 *     const chunk = bufferPool.acquireRead(length);  // one reference
 *     digest.update(chunk.retain());                 // two: the digest releases its own
 *     const head = chunk.retainSlice(0, 100);        // another handle on it, released on its own
 *     chunk.release();
 *
 * A handle that is never released does no harm: the garbage collector finds the memory (`common-memory.ts`),
 * later.
 */
export class PooledBuffer extends BufferView {
  readonly #slab: Slab;
  #references = 1;

  /** For pools: a new reference to a part of the slab. */
  constructor(slab: Slab, from: number, to: number) {
    super(slab.memory.buffer, slab.memory.byteOffset + from, to - from);
    this.#slab = slab;
    slab.handles++;
  }

  /** What `map` or `filter` makes is plain memory. */
  static get [Symbol.species](): Uint8ArrayConstructor {
    return Uint8Array;
  }

  get isReleased(): boolean {
    return this.#references === 0;
  }

  /** One more reference to the same bytes. */
  retain(): this {
    assert(this.#references > 0, "a released buffer is not retained");
    this.#references++;
    return this;
  }

  /** A reference to a part of the bytes; this one stays as it is. */
  retainSlice(from: number, to: number): PooledBuffer {
    assert(this.#references > 0, "a released buffer has no slices");
    assert(from >= 0 && from <= to && to <= this.length, "a slice lies inside its buffer");
    if (to - from === this.length) return this.retain();
    const start = this.byteOffset - this.#slab.memory.byteOffset;
    return new PooledBuffer(this.#slab, start + from, start + to);
  }

  /** A view for a reader that is done before the owner releases its reference. */
  borrow(from = 0, to: number = this.length): Buffer {
    assert(this.#references > 0, "a released buffer is not read");
    return this.subarray(from, to);
  }

  release(): void {
    assert(this.#references > 0, "a buffer is released once for each reference");
    if (--this.#references > 0) return;
    if (--this.#slab.handles === 0) this.#slab.owner.recycle(this.#slab);
  }
}

Object.setPrototypeOf(PooledBuffer.prototype, Buffer.prototype);

/**
 * A chunk of a payload stream, owned by its receiver. Small chunks, zeros and bytes of records are plain
 * memory, which the garbage collector frees, so the functions below accept both.
 */
export type OwnedChunk = PooledBuffer | Buffer;

/** The receiver needs the chunk no more. */
export function release(chunk: Uint8Array): void {
  if (chunk instanceof PooledBuffer) chunk.release();
}

/** One more reference for the same receiver or another one. */
export function retain<T extends Uint8Array>(chunk: T): T {
  return chunk instanceof PooledBuffer ? chunk.retain() : chunk;
}

/** A part of the chunk with a reference of its own; the caller keeps the reference to the chunk. */
export function retainSlice<T extends Uint8Array>(chunk: T, from: number, to: number): T {
  if (chunk instanceof PooledBuffer) return chunk.retainSlice(from, to) as Uint8Array as T;
  return (to - from === chunk.length ? chunk : chunk.subarray(from, to)) as T;
}

/** A part of the chunk instead of the chunk: the reference passes to the part. */
export function narrow<T extends Uint8Array>(chunk: T, from: number, to: number): T {
  const part = retainSlice(chunk, from, to);
  release(chunk);
  return part;
}
