import { copyInto, copyPage } from "../base/bytes.ts";
import { KIB, LIMITS } from "../base/limits.ts";
import { CommonSlabs, commonMemory } from "./common-memory.ts";
import { freeNow } from "./free-now.ts";
import { type OwnedChunk, PooledBuffer, type Slab } from "./pooled-buffer.ts";

/**
 * Memory for payload between clients and the disk, over HTTP and SMB. The pool uses a slab again as soon as
 * its last reference is released: left to the garbage collector, a transfer leaves as much memory behind as
 * it has bytes, long after its end, and the system has to find and clear new pages for every mebibyte.
 *
 * Most slabs lie in the common memory, where checksums and digests need no copy. When all of that is in use,
 * the pool allocates private memory, and keeps a bounded amount of it for the next transfer.
 */
interface IdleBudget {
  readonly bytesMax: number;
  /** Private memory that is kept and in no use. */
  bytes: number;
}

/** The slabs of one size. */
class SizeClass {
  readonly bufferBytes: number;
  readonly #all: readonly SizeClass[];
  readonly #idle: IdleBudget;
  readonly #common: CommonSlabs;
  readonly #freeCommon: Slab[] = [];
  readonly #freePrivate: Slab[] = [];
  #isUsed = false;

  constructor(
    all: SizeClass[],
    sizes: { readonly bufferBytes: number; readonly commonBytesMax: number; readonly idle: IdleBudget },
  ) {
    this.bufferBytes = sizes.bufferBytes;
    this.#idle = sizes.idle;
    this.#common = new CommonSlabs(sizes.bufferBytes, sizes.commonBytesMax);
    this.#all = all;
    all.push(this);
  }

  acquire(length: number = this.bufferBytes): PooledBuffer {
    this.#isUsed = true;
    const slab = this.#freeCommon.pop() ?? this.#makeCommon() ?? this.#acquirePrivate();
    return new PooledBuffer(slab, 0, length);
  }

  #makeCommon(): Slab | undefined {
    if (this.#common.isFull) return undefined;
    let memory = this.#common.acquire(false);
    // Free slabs of other sizes are evicted first: the system never gets back common memory that was used
    // once.
    for (const other of this.#all)
      while (memory === undefined && other !== this && other.#evictCommon())
        memory = this.#common.acquire(false);
    memory ??= this.#common.acquire();
    return memory && { memory, owner: this, handles: 0 };
  }

  #evictCommon(): boolean {
    const slab = this.#freeCommon.pop();
    if (slab === undefined) return false;
    this.#common.release(slab.memory);
    return true;
  }

  #acquirePrivate(): Slab {
    const kept = this.#freePrivate.pop();
    if (kept === undefined)
      return { memory: Buffer.allocUnsafeSlow(this.bufferBytes), owner: this, handles: 0 };
    this.#idle.bytes -= this.bufferBytes;
    return kept;
  }

  recycle(slab: Slab): void {
    if (commonMemory.includes(slab.memory)) this.#freeCommon.push(slab);
    else if (this.#idle.bytes + this.bufferBytes <= this.#idle.bytesMax) {
      this.#idle.bytes += this.bufferBytes;
      this.#freePrivate.push(slab);
    } else freeNow(slab.memory);
  }

  /** Frees private memory that no transfer has asked for since the last call. */
  sweep(): void {
    if (!this.#isUsed) {
      for (const { memory } of this.#freePrivate.splice(0)) {
        this.#idle.bytes -= this.bufferBytes;
        freeNow(memory);
      }
    }
    this.#isUsed = false;
  }
}

/** A message shorter than this is not worth a slab. */
const FRAME_BYTES_MIN = 64 * KIB;

export class BufferPool {
  readonly #sizes: SizeClass[] = [];
  readonly #idlePayload: IdleBudget = { bytesMax: LIMITS.idlePayloadBytesMax, bytes: 0 };
  readonly #idleFrames: IdleBudget = { bytesMax: LIMITS.idleFrameBytesMax, bytes: 0 };
  readonly #bodies = this.#sizeOf(LIMITS.bodyBufferBytes, LIMITS.commonBodyBytesMax);
  readonly #copies = this.#sizeOf(LIMITS.copyBufferBytes, LIMITS.commonCopyBytesMax);
  readonly #chunks = this.#sizeOf(LIMITS.chunkBytes, LIMITS.commonChunkBytesMax);
  readonly #reads = this.#sizeOf(LIMITS.extentReadBytes, LIMITS.commonReadBytesMax);
  /** By their size; made when the first message needs one. */
  readonly #frames = new Map<number, SizeClass>();
  #bodyBuffers = 0;
  /** Where copies of bodies go, and how much of it they fill. */
  #copyTarget: PooledBuffer | undefined;
  #copiedBytes = 0;

  #sizeOf(bufferBytes: number, commonBytesMax: number): SizeClass {
    return new SizeClass(this.#sizes, { bufferBytes, commonBytesMax, idle: this.#idlePayload });
  }

  /** Private memory that waits for the next transfer. */
  get idleBytes(): number {
    return this.#idlePayload.bytes + this.#idleFrames.bytes;
  }

  /**
   * For a body that comes in large chunks. The connection acquires it before the next read and fills it by
   * that read, however much later that is. So it belongs to one body; when too many bodies have one, the
   * others read elsewhere and copy. The connection releases it by `releaseBodyBuffer`.
   */
  acquireBodyBuffer(): PooledBuffer | undefined {
    if (this.#bodyBuffers >= LIMITS.bodyBuffersMax) return undefined;
    this.#bodyBuffers++;
    return this.#bodies.acquire();
  }

  releaseBodyBuffer(buffer: PooledBuffer): void {
    this.#bodyBuffers--;
    buffer.release();
  }

  /** A copy of a borrowed chunk of a body. Copies share slabs; small ones share pages of plain memory. */
  copyForBody(bytes: Buffer): OwnedChunk {
    if (bytes.length < LIMITS.pooledCopyBytesMin) return copyPage(bytes);
    if (bytes.length > LIMITS.copyBufferBytes) return Buffer.from(bytes);
    if (this.#copyTarget === undefined || LIMITS.copyBufferBytes - this.#copiedBytes < bytes.length) {
      const former = this.#copyTarget;
      this.#copyTarget = this.#copies.acquire();
      this.#copiedBytes = 0;
      former?.release();
    }
    const from = this.#copiedBytes;
    this.#copiedBytes += bytes.length;
    const copy = this.#copyTarget.retainSlice(from, this.#copiedBytes);
    copyInto(copy, bytes, 0);
    return copy;
  }

  /**
   * For one read from the disk. A length that would leave more than half of a slab empty gets plain memory.
   */
  acquireRead(length: number): OwnedChunk {
    const size = length <= LIMITS.chunkBytes ? this.#chunks : this.#reads;
    if (length > size.bufferBytes || length < size.bufferBytes / 2) return Buffer.allocUnsafeSlow(length);
    return size.acquire(length);
  }

  /**
   * For a message of SMB. Made anew for every WRITE, a gigabyte of them has the garbage collector mark the
   * whole heap some thirty times. The caller fills all of it before any reader sees it, so no byte of an
   * earlier message shows.
   */
  acquireFrame(length: number): OwnedChunk {
    if (length < FRAME_BYTES_MIN) return Buffer.allocUnsafe(length);
    const bufferBytes = frameBytesFor(length);
    let size = this.#frames.get(bufferBytes);
    if (size === undefined) {
      const commonBytesMax = LIMITS.commonFrameBytesMax;
      size = new SizeClass(this.#sizes, { bufferBytes, commonBytesMax, idle: this.#idleFrames });
      this.#frames.set(bufferBytes, size);
    }
    return size.acquire(length);
  }

  /**
   * Called at intervals: private memory of a size that was not used since the last call returns to the
   * system.
   */
  sweep(): void {
    for (const size of this.#sizes) size.sweep();
  }
}

/**
 * Few sizes, so that one message fits the slab of another: a power of two and the overhead around a payload.
 */
function frameBytesFor(length: number): number {
  let payloadBytes = FRAME_BYTES_MIN;
  while (payloadBytes + LIMITS.frameOverheadBytes < length) payloadBytes *= 2;
  return payloadBytes + LIMITS.frameOverheadBytes;
}

/** One for the process, as the common memory is. */
export const bufferPool = new BufferPool();
