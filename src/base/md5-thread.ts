import { Worker } from "node:worker_threads";
import { LIMITS } from "./limits.ts";

/**
 * MD5 of long bodies in a thread of its own. It is the costliest thing that happens to an upload: in the thread that
 * serves requests it takes half of the time, and everybody else waits for it.
 *
 * Bytes are copied on their way, as the original goes to the disk at the same time: into memory that both threads see,
 * round and round. A new buffer for each piece would be as much garbage as payload, in two heaps.
 */
const SOURCE = `
const { createHash } = require("node:crypto");
const { parentPort, workerData } = require("node:worker_threads");
const ring = new Uint8Array(workerData);
const hashes = new Map();
parentPort.on("message", ({ id, from, length, isEnd, isDropped }) => {
  let hash = hashes.get(id);
  if (length !== undefined) {
    if (hash === undefined) hashes.set(id, (hash = createHash("md5")));
    hash.update(ring.subarray(from, from + length));
    parentPort.postMessage({ isTaken: true });
  }
  if (isEnd) parentPort.postMessage({ id, digest: (hash ?? createHash("md5")).digest("base64") });
  if (isEnd || isDropped) hashes.delete(id);
});
`;

type Reply = { readonly isTaken: true } | { readonly id: number; readonly digest: string };

interface Waiter {
  resolve(value: string): void;
  reject(error: unknown): void;
}

interface Untold {
  readonly id: number;
  readonly from: number;
  length: number;
  /** With what was left out at the end of the ring. */
  usedBytes: number;
}

class Md5Thread {
  readonly #ring = new Uint8Array(new SharedArrayBuffer(LIMITS.digestWaitingBytesMax));
  readonly #worker = new Worker(SOURCE, { eval: true, workerData: this.#ring.buffer });
  readonly #digests = new Map<number, Waiter>();
  /** Where the next bytes go, and how many before it are still to be read, with what was left out at the end. */
  #at = 0;
  #usedBytes = 0;
  /** What each piece the thread was told of takes of the ring: it takes them in their order. */
  readonly #under: number[] = [];
  /** Bodies whose bytes did not fit, in the order in which they came. */
  readonly #waiting: (() => void)[] = [];
  /** Bytes in the ring of which the thread has not been told: a message for each piece of a socket would be many. */
  #untold: Untold | undefined;
  #failure: unknown;
  #lastId = 0;

  constructor() {
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

  /** When a promise comes back, the thread is behind: the bytes are needed until it resolves. */
  update(id: number, bytes: Uint8Array): Promise<void> | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    if (bytes.length > LIMITS.digestPartBytesMax) return this.#updateInParts(id, bytes);
    if (this.#waiting.length === 0 && this.#tryUpdate(id, bytes)) return undefined;
    return this.#updateLater(id, bytes);
  }

  async #updateInParts(id: number, bytes: Uint8Array): Promise<void> {
    for (let from = 0; from < bytes.length; from += LIMITS.digestPartBytesMax)
      await this.update(id, bytes.subarray(from, from + LIMITS.digestPartBytesMax));
  }

  async #updateLater(id: number, bytes: Uint8Array): Promise<void> {
    do await new Promise<void>((resolve) => this.#waiting.push(resolve));
    while (this.#failure === undefined && !this.#tryUpdate(id, bytes));
    if (this.#failure !== undefined) throw this.#failure;
    this.#wake();
  }

  /** False when there is no room for them in one piece. */
  #tryUpdate(id: number, bytes: Uint8Array): boolean {
    const { length } = bytes;
    const toEnd = this.#ring.length - this.#at;
    const isAtStart = toEnd < length;
    const skipped = isAtStart ? toEnd : 0;
    if (this.#usedBytes + skipped + length > this.#ring.length) {
      this.#tell();
      return false;
    }
    const from = isAtStart ? 0 : this.#at;
    if (isAtStart || this.#untold?.id !== id) this.#tell();
    this.#ring.set(bytes, from);
    this.#at = from + length;
    this.#usedBytes += skipped + length;
    this.#untold ??= { id, from, length: 0, usedBytes: 0 };
    this.#untold.length += length;
    this.#untold.usedBytes += skipped + length;
    if (this.#untold.length >= LIMITS.digestPartBytesMax) this.#tell();
    return true;
  }

  #tell(): void {
    if (this.#untold === undefined) return;
    const { id, from, length, usedBytes } = this.#untold;
    this.#untold = undefined;
    this.#under.push(usedBytes);
    this.#worker.postMessage({ id, from, length });
    this.#worker.ref();
  }

  digest(id: number): Promise<string> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#tell();
    return new Promise((resolve, reject) => {
      this.#digests.set(id, { resolve, reject });
      this.#worker.ref();
      this.#worker.postMessage({ id, isEnd: true });
    });
  }

  /** Nobody will ask for it. */
  drop(id: number): void {
    if (!this.isUsable) return;
    this.#tell();
    this.#worker.postMessage({ id, isDropped: true });
  }

  #receive(reply: Reply): void {
    if ("digest" in reply) {
      this.#digests.get(reply.id)?.resolve(reply.digest);
      this.#digests.delete(reply.id);
    } else {
      this.#usedBytes -= this.#under.shift()!;
      this.#wake();
    }
    // Only work under way keeps the process alive.
    if (this.#usedBytes === 0 && this.#digests.size === 0) this.#worker.unref();
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

/** One MD5, computed elsewhere. */
export class LongMd5 {
  readonly #thread: Md5Thread;
  readonly #id: number;

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

  drop(): void {
    this.#thread.drop(this.#id);
  }
}
