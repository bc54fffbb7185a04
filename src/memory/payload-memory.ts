import { copyInto } from "../base/bytes.ts";
import { LIMITS } from "../base/limits.ts";
import { CommonParts, isCommon } from "./common-memory.ts";
import { freeNow } from "./free-now.ts";

/**
 * Memory for payload on its way between clients and the disk. It is used again as soon as the bytes in it have arrived:
 * left to the garbage collector, a transfer leaves as much memory behind as it has bytes, long after it has ended, and
 * the system has to find and clear new pages for every mebibyte.
 *
 * Most rooms lie in the common memory, where checksums and digests need no copy; others are made when those are all in
 * use. Whoever has bytes of a room and never gives them back only keeps it from being
 * used again until the garbage collector has found it.
 */
interface PooledBuffer {
  readonly memory: Buffer;
  readonly pool: BufferPool;
  acquiredBytes: number;
  releasedBytes: number;
}

const bufferOf = new WeakMap<ArrayBufferLike, PooledBuffer>();

/** All sizes: what one of them keeps for its next transfer, another one may need now. */
const allRooms: BufferPool[] = [];
/** Of rooms that are kept and lie elsewhere, of all sizes. */
let idleBytes = 0;

/** The rooms of one size. */
class BufferPool {
  readonly bufferBytes: number;
  readonly #common: CommonParts;
  /** Free at the moment: in the common memory, and elsewhere. */
  readonly #free: PooledBuffer[] = [];
  readonly #freeElsewhere: PooledBuffer[] = [];

  constructor(bufferBytes: number, commonBytesMax: number) {
    this.bufferBytes = bufferBytes;
    this.#common = new CommonParts(bufferBytes, commonBytesMax);
    allRooms.push(this);
  }

  acquire(acquiredBytes: number): PooledBuffer {
    const buffer = this.#free.pop() ?? this.#makeCommon() ?? this.#takeElsewhere();
    buffer.acquiredBytes = acquiredBytes;
    buffer.releasedBytes = 0;
    return buffer;
  }

  #makeCommon(): PooledBuffer | undefined {
    if (this.#common.isFull) return undefined;
    let memory = this.#common.take(false);
    // Free rooms of other sizes are evicted first: memory that was used once cannot be given back to the system.
    for (const other of allRooms)
      while (memory === undefined && other !== this && other.#evict()) memory = this.#common.take(false);
    memory ??= this.#common.take();
    return memory === undefined ? undefined : this.#make(memory);
  }

  #evict(): boolean {
    const buffer = this.#free.pop();
    if (buffer === undefined) return false;
    bufferOf.delete(buffer.memory.buffer);
    this.#common.release(buffer.memory);
    return true;
  }

  #takeElsewhere(): PooledBuffer {
    const kept = this.#freeElsewhere.pop();
    if (kept === undefined) return this.#make(Buffer.allocUnsafeSlow(this.bufferBytes));
    idleBytes -= this.bufferBytes;
    return kept;
  }

  #make(memory: Buffer): PooledBuffer {
    const buffer = { memory, pool: this, acquiredBytes: 0, releasedBytes: 0 };
    bufferOf.set(memory.buffer, buffer);
    return buffer;
  }

  recycle(buffer: PooledBuffer): void {
    if (isCommon(buffer.memory)) this.#free.push(buffer);
    else if (idleBytes + this.bufferBytes <= LIMITS.idlePayloadBytesMax) {
      idleBytes += this.bufferBytes;
      this.#freeElsewhere.push(buffer);
    } else {
      bufferOf.delete(buffer.memory.buffer);
      freeNow(buffer.memory);
    }
  }
}

const bodyBuffers = new BufferPool(LIMITS.bodyBufferBytes, LIMITS.commonBodyBytesMax);
const copyBuffers = new BufferPool(LIMITS.copyBufferBytes, LIMITS.commonCopyBytesMax);
const chunkBuffers = new BufferPool(LIMITS.chunkBytes, LIMITS.commonChunkBytesMax);
const readBuffers = new BufferPool(LIMITS.extentReadBytes, LIMITS.commonReadBytesMax);

/** Where copies of bodies go, and how much of it they fill. */
let current: PooledBuffer | undefined;
let filledBytes = 0;
let borrowedBuffers = 0;

/**
 * A room for a body that comes in large pieces. It is chosen before the next read and filled by it, however much later
 * that is: so it belongs to one body, and when too many have one, others read elsewhere and copy. What a body did not
 * use of it is handed to `releaseBodyBuffer`.
 */
export function acquireBodyBuffer(): Buffer | undefined {
  if (borrowedBuffers >= LIMITS.bodyBuffersMax) return undefined;
  borrowedBuffers++;
  return bodyBuffers.acquire(LIMITS.bodyBufferBytes).memory;
}

export function releaseBodyBuffer(rest: Buffer): void {
  borrowedBuffers--;
  release(rest);
}

/** A copy of a large part of a body. */
export function copyForBody(bytes: Buffer): Buffer {
  if (bytes.length > LIMITS.copyBufferBytes) return Buffer.from(bytes);
  if (current === undefined || LIMITS.copyBufferBytes - filledBytes < bytes.length) {
    const former = current;
    current = copyBuffers.acquire(0);
    filledBytes = 0;
    if (former !== undefined) recycleIfUnused(former);
  }
  const from = filledBytes;
  filledBytes += bytes.length;
  current.acquiredBytes += bytes.length;
  const copy = current.memory.subarray(from, filledBytes);
  copyInto(copy, bytes, 0);
  return copy;
}

/** For one read from the disk. What would leave more than half of a room empty has memory of its own. */
export function acquireReadBuffer(length: number): Buffer {
  const pool = length <= LIMITS.chunkBytes ? chunkBuffers : readBuffers;
  if (length > pool.bufferBytes || length < pool.bufferBytes / 2) return Buffer.allocUnsafeSlow(length);
  return pool.acquire(length).memory.subarray(0, length);
}

/** Whether bytes lie in a room, which is theirs alone until they are given back. Other memory may be anybody's. */
export function isPooled(bytes: Uint8Array): boolean {
  return bufferOf.has(bytes.buffer);
}

/** The bytes have one more who gives them back. False for memory that is no room's. */
export function hold(bytes: Uint8Array): boolean {
  const buffer = bufferOf.get(bytes.buffer);
  if (buffer === undefined) return false;
  buffer.acquiredBytes += bytes.length;
  return true;
}

/** Nobody will look at these bytes again. Once for each byte that was taken or held; other memory is left alone. */
export function release(bytes: Uint8Array): void {
  const buffer = bufferOf.get(bytes.buffer);
  if (buffer === undefined || bytes.length === 0) return;
  buffer.releasedBytes += bytes.length;
  if (buffer !== current) recycleIfUnused(buffer);
}

function recycleIfUnused(buffer: PooledBuffer): void {
  if (buffer.releasedBytes === buffer.acquiredBytes) buffer.pool.recycle(buffer);
}
