import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { assert } from "../base/assert.ts";
import { copyInto } from "../base/bytes.ts";
import { Lazy } from "../base/lazy.ts";
import { LIMITS } from "../base/limits.ts";
import { commonMemory } from "../memory/common-memory.ts";
import { PooledBuffer, release, retainSlice } from "../memory/pooled-buffer.ts";
import { md5Blocks } from "./md5-blocks.ts";
import { MD5_START } from "./md5-steps.ts";
import { MD5_WORKER } from "./md5-worker.ts";

/**
 * MD5 of long bodies in a thread. It is the most expensive part of an upload: in the thread that serves
 * requests it takes half of the time and delays all other requests (decision 0013).
 *
 * Bytes in the shared memory are digested in place, and retained until then. Others are copied into a ring in
 * that memory.
 */
/** How many batches are done, or a digest. */
type Reply = { readonly doneBatches: number } | { readonly id: number; readonly digest: string };

interface Waiter {
  resolve(value: string): void;
  reject(error: unknown): void;
}

/** Bytes of one body in one message to the thread. */
class DigestBatch {
  readonly id: number;
  /** Start and end addresses alternate. */
  readonly parts: number[] = [];
  readonly pinned: PooledBuffer[] = [];
  length = 0;
  pinnedBytes = 0;
  /** Includes bytes skipped at the end of the ring. */
  ringBytes = 0;

  constructor(id: number) {
    this.id = id;
  }

  add(at: number, length: number): void {
    this.length += length;
    if (this.parts.at(-1) === at) this.parts[this.parts.length - 1] = at + length;
    else this.parts.push(at, at + length);
  }
}

const RING_BYTES = LIMITS.digestWaitingBytesMax;
/** A state, and the last two blocks of a body. */
const STATE_BYTES = 256;

/**
 * An upload ends when its digest is done, so the thread keeps its processor while others are woken: 6% more
 * for one upload on two processors (decision 0046). With one processor the other threads would wait for it,
 * and only on Linux a thread has its own priority.
 */
function priority(): number | undefined {
  return process.platform === "linux" && availableParallelism() > 1 ? DIGEST_PRIORITY : undefined;
}

export const DIGEST_PRIORITY = -10;

class Md5Thread {
  readonly #ringAt: number;
  readonly #ring: Buffer;
  readonly #worker: Worker;
  readonly #digests = new Map<number, Waiter>();
  /** The next free position of the ring, and the used bytes before it. */
  #at = 0;
  #ringBytes = 0;
  #pinnedBytes = 0;
  /** Batches that the thread has not finished, in its order. */
  readonly #sent: DigestBatch[] = [];
  /** Bodies whose bytes did not fit, in their order. */
  readonly #waiting: (() => void)[] = [];
  #unsent: DigestBatch | undefined;
  /** Batches for the next message, and whether one was posted in this tick. */
  #outbox: { readonly id: number; readonly parts: readonly number[] }[] = [];
  #hasPosted = false;
  /** Digests for the next message that drops some. */
  #dropped: number[] = [];
  #failure: unknown;
  #lastId = 0;

  constructor({ ringAt, stateAt }: { readonly ringAt: number; readonly stateAt: number }) {
    const shared = commonMemory.shared;
    this.#ringAt = ringAt;
    this.#ring = Buffer.from(shared.buffer, ringAt, RING_BYTES);
    const blocks = md5Blocks(shared, stateAt);
    const workerData = { blocks, memory: shared.memory, stateAt, start: MD5_START, priority: priority() };
    this.#worker = new Worker(MD5_WORKER, { eval: true, workerData });
    this.#worker.unref();
    this.#worker.on("message", (reply: Reply) => this.#receive(reply));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new Error("the digest thread has ended")));
  }

  get isUsable(): boolean {
    return this.#failure === undefined;
  }

  nextId(): number {
    return ++this.#lastId;
  }

  /** A promise means that the thread is behind: the caller keeps the bytes until it resolves. */
  update(id: number, bytes: Uint8Array): Promise<void> | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    if (bytes.length > LIMITS.digestPartBytesMax) return this.#updateInParts(id, bytes);
    if (this.#waiting.length === 0 && this.#tryUpdate(id, bytes)) return undefined;
    return this.#updateLater(id, bytes);
  }

  async #updateInParts(id: number, bytes: Uint8Array): Promise<void> {
    for (let from = 0; from < bytes.length; from += LIMITS.digestPartBytesMax) {
      const part = retainSlice(bytes, from, Math.min(from + LIMITS.digestPartBytesMax, bytes.length));
      try {
        await this.update(id, part);
      } finally {
        release(part);
      }
    }
  }

  async #updateLater(id: number, bytes: Uint8Array): Promise<void> {
    do await new Promise<void>((resolve) => this.#waiting.push(resolve));
    while (this.#failure === undefined && !this.#tryUpdate(id, bytes));
    if (this.#failure !== undefined) throw this.#failure;
    this.#wake();
  }

  /** False when too many bytes wait for the thread. */
  #tryUpdate(id: number, bytes: Uint8Array): boolean {
    if (this.#unsent !== undefined && this.#unsent.id !== id) this.#send();
    this.#unsent ??= new DigestBatch(id);
    const isPinnable = bytes instanceof PooledBuffer && commonMemory.includes(bytes);
    const isAdded = isPinnable ? this.#pin(this.#unsent, bytes) : this.#copy(this.#unsent, bytes);
    // An idle thread gets the batch at once.
    const isIdle = this.#sent.length === 0;
    if (!isAdded || isIdle || this.#unsent.length >= LIMITS.digestPartBytesMax) this.#send();
    return isAdded;
  }

  #pin(unsent: DigestBatch, bytes: PooledBuffer): boolean {
    const { length } = bytes;
    if (this.#pinnedBytes + length > LIMITS.digestWaitingBytesMax) return false;
    unsent.pinned.push(bytes.retain());
    unsent.pinnedBytes += length;
    this.#pinnedBytes += length;
    unsent.add(bytes.byteOffset, length);
    return true;
  }

  #copy(unsent: DigestBatch, bytes: Uint8Array): boolean {
    const { length } = bytes;
    const toEnd = RING_BYTES - this.#at;
    const isAtStart = toEnd < length;
    const skipped = isAtStart ? toEnd : 0;
    if (this.#ringBytes + skipped + length > RING_BYTES) return false;
    const from = isAtStart ? 0 : this.#at;
    copyInto(this.#ring, bytes, from);
    this.#at = from + length;
    this.#ringBytes += skipped + length;
    unsent.ringBytes += skipped + length;
    unsent.add(this.#ringAt + from, length);
    return true;
  }

  #send(): void {
    const batch = this.#unsent;
    this.#unsent = undefined;
    if (batch === undefined || batch.parts.length === 0) return;
    this.#sent.push(batch);
    this.#outbox.push({ id: batch.id, parts: batch.parts });
    this.#worker.ref();
    if (!this.#hasPosted) this.#post();
  }

  /**
   * Posts the first batch of a tick at once and the others together when the tick ends: a message costs 60
   * us, and one tick may bring bytes of hundreds of bodies.
   */
  #post(): void {
    if (!this.#hasPosted) setImmediate(this.#endTick);
    this.#hasPosted = true;
    this.#postOutbox();
  }

  #postOutbox(): void {
    if (this.#outbox.length === 0) return;
    this.#worker.postMessage({ batches: this.#outbox });
    this.#outbox = [];
  }

  readonly #endTick = (): void => {
    this.#hasPosted = false;
    this.#postOutbox();
  };

  digest(id: number): Promise<string> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#send();
    this.#postOutbox();
    return new Promise((resolve, reject) => {
      this.#digests.set(id, { resolve, reject });
      this.#worker.ref();
      this.#worker.postMessage({ id, isEnd: true });
    });
  }

  /** Drops a digest. One message drops all digests of a tick: thousands of clients may leave at once. */
  drop(id: number): void {
    if (!this.isUsable) return;
    if (this.#unsent?.id === id) this.#send();
    if (this.#dropped.length === 0) setImmediate(() => this.#sendDropped());
    this.#dropped.push(id);
  }

  #sendDropped(): void {
    this.#postOutbox();
    this.#worker.postMessage({ dropped: this.#dropped });
    this.#dropped = [];
  }

  #receive(reply: Reply): void {
    if ("digest" in reply) {
      this.#digests.get(reply.id)?.resolve(reply.digest);
      this.#digests.delete(reply.id);
    } else {
      for (const batch of this.#sent.splice(0, reply.doneBatches)) {
        this.#ringBytes -= batch.ringBytes;
        this.#pinnedBytes -= batch.pinnedBytes;
        for (const bytes of batch.pinned) bytes.release();
        this.#wake();
      }
    }
    // Only pending work keeps the process alive.
    if (this.#sent.length === 0 && this.#digests.size === 0) this.#worker.unref();
  }

  /** Resumes the first waiting body, which then resumes the next. */
  #wake(): void {
    this.#waiting.shift()?.();
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const { reject } of this.#digests.values()) reject(this.#failure);
    this.#digests.clear();
    for (const resume of this.#waiting.splice(0)) resume();
  }
}

/** The one digest thread of the process, and its memory, which a new thread uses again. */
class Md5Threads {
  #current: Md5Thread | undefined;
  readonly #memory = new Lazy(() => {
    const ringAt = commonMemory.reserve(RING_BYTES);
    const stateAt = commonMemory.reserve(STATE_BYTES);
    assert(
      ringAt !== undefined && stateAt !== undefined,
      "the shared memory has space for the digest thread",
    );
    return { ringAt, stateAt };
  });

  /** A thread that failed loses its digests; the next body gets a new thread. */
  current(): Md5Thread {
    if (this.#current?.isUsable !== true) this.#current = new Md5Thread(this.#memory.value);
    return this.#current;
  }
}

const threads = new Md5Threads();

/** The MD5 of one long body, computed in the thread. */
export class LongMd5 {
  readonly #thread = threads.current();
  readonly #id = this.#thread.nextId();
  #isDropped = false;

  update(bytes: Uint8Array): Promise<void> | undefined {
    return this.#thread.update(this.#id, bytes);
  }

  /** Base64. */
  digest(): Promise<string> {
    return this.#thread.digest(this.#id);
  }

  /** May be called more than once. */
  drop(): void {
    if (this.#isDropped) return;
    this.#isDropped = true;
    this.#thread.drop(this.#id);
  }
}
