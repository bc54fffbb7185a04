import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { assert } from "../base/assert.ts";
import { copyInto } from "../base/bytes.ts";
import { LIMITS } from "../base/limits.ts";
import { commonMemory } from "../memory/common-memory.ts";
import { PooledBuffer, release, retainSlice } from "../memory/pooled-buffer.ts";
import { md5Blocks } from "./md5-blocks.ts";
import { MD5_START } from "./md5-steps.ts";
import { MD5_WORKER } from "./md5-worker.ts";

/**
 * MD5 of long bodies in a thread of its own. It is the costliest thing that happens to an upload: in the thread that
 * serves requests it takes half of the time, and everybody else waits for it.
 *
 * Bytes that lie in the common memory are digested where they are, and held until then. Others are copied on their way,
 * into a part of that memory, round and round.
 */
/** How many batches are no longer needed, or a digest. */
type Reply = { readonly doneBatches: number } | { readonly id: number; readonly digest: string };

interface Waiter {
  resolve(value: string): void;
  reject(error: unknown): void;
}

/** Bytes of one body that the thread is told of together: a message for each piece of a socket would be many. */
class DigestBatch {
  readonly id: number;
  /** Where each part begins and ends. */
  readonly parts: number[] = [];
  readonly pinned: PooledBuffer[] = [];
  length = 0;
  pinnedBytes = 0;
  /** With what was left out at the end of the ring. */
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
/** A state, and at the end of a body two blocks: a page has room for more. */
const STATE_BYTES = 256;

/**
 * The digest of a long body is one computation in a row that all else of an upload waits for at the end, so it keeps its
 * processor while others are woken: 6% more of one upload on two processors (decision 0046). With one processor
 * everybody else would wait for it, and elsewhere than on Linux threads have no priority of their own.
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
  /** Where in the ring the next bytes go, and how many before it are still to be read, with what was left out. */
  #at = 0;
  #ringBytes = 0;
  #pinnedBytes = 0;
  /** What the thread was told of: it takes them in their order. */
  readonly #under: DigestBatch[] = [];
  /** Bodies whose bytes did not fit, in the order in which they came. */
  readonly #waiting: (() => void)[] = [];
  #unsent: DigestBatch | undefined;
  /** Batches for the next message, and whether one has left in this tick. */
  #outbox: { readonly id: number; readonly parts: readonly number[] }[] = [];
  #hasPosted = false;
  /** Those that the thread can forget, and does not know of yet. */
  #dropped: number[] = [];
  #failure: unknown;
  #lastId = 0;

  constructor() {
    ringAt ??= commonMemory.reserve(RING_BYTES);
    stateAt ??= commonMemory.reserve(STATE_BYTES);
    assert(ringAt !== undefined && stateAt !== undefined, "digests have their room in the common memory");
    const shared = commonMemory.shared;
    this.#ringAt = ringAt;
    this.#ring = Buffer.from(shared.buffer, ringAt, RING_BYTES);
    const blocks = md5Blocks(shared, stateAt);
    const workerData = { blocks, memory: shared.memory, stateAt, start: MD5_START, priority: priority() };
    this.#worker = new Worker(MD5_WORKER, { eval: true, workerData });
    this.#worker.unref();
    this.#worker.on("message", (reply: Reply) => this.#receive(reply));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new Error("the thread of digests has ended")));
  }

  get isUsable(): boolean {
    return this.#failure === undefined;
  }

  nextId(): number {
    return ++this.#lastId;
  }

  /**
   * When a promise comes back, the thread is behind: the bytes are needed until it resolves. Afterwards they may be given
   * back; bytes of the common memory must not be written over before.
   */
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

  /** False when too much waits for the thread. */
  #tryUpdate(id: number, bytes: Uint8Array): boolean {
    if (this.#unsent !== undefined && this.#unsent.id !== id) this.#send();
    this.#unsent ??= new DigestBatch(id);
    const isPinnable = bytes instanceof PooledBuffer && commonMemory.includes(bytes);
    const isAdded = isPinnable ? this.#pin(this.#unsent, bytes) : this.#copy(this.#unsent, bytes);
    // A thread that has nothing to do is told at once.
    const isIdle = this.#under.length === 0;
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
    this.#under.push(batch);
    this.#outbox.push({ id: batch.id, parts: batch.parts });
    this.#worker.ref();
    if (!this.#hasPosted) this.#post();
  }

  /**
   * The first batch of a tick leaves at once, the others together when the tick ends: a message costs 60 microseconds, and
   * hundreds of bodies may bring their parts in one tick.
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

  /** The digest is not wanted. When thousands of clients go away at once, the thread hears of all of them together. */
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
      for (const batch of this.#under.splice(0, reply.doneBatches)) {
        this.#ringBytes -= batch.ringBytes;
        this.#pinnedBytes -= batch.pinnedBytes;
        for (const bytes of batch.pinned) bytes.release();
        this.#wake();
      }
    }
    // Only work under way keeps the process alive.
    if (this.#under.length === 0 && this.#digests.size === 0) this.#worker.unref();
  }

  /** The first in the row; the next when that one has found its room. */
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

let thread: Md5Thread | undefined;
/** One thread after another has them. */
let ringAt: number | undefined;
let stateAt: number | undefined;

/** One MD5, computed elsewhere. */
export class LongMd5 {
  readonly #thread: Md5Thread;
  readonly #id: number;
  #isDropped = false;

  constructor() {
    // A thread that failed takes its digests with it; the next body gets a new one.
    if (thread?.isUsable !== true) thread = new Md5Thread();
    this.#thread = thread;
    this.#id = thread.nextId();
  }

  update(bytes: Uint8Array): Promise<void> | undefined {
    return this.#thread.update(this.#id, bytes);
  }

  /** Base64. */
  digest(): Promise<string> {
    return this.#thread.digest(this.#id);
  }

  /** A body that breaks off may say so at more than one of its ends. */
  drop(): void {
    if (this.#isDropped) return;
    this.#isDropped = true;
    this.#thread.drop(this.#id);
  }
}
