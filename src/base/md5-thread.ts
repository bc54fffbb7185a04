import { Worker } from "node:worker_threads";
import { LIMITS } from "./limits.ts";

/**
 * MD5 of long bodies in a thread of its own. It is the costliest thing that happens to an upload: in the thread that
 * serves requests it takes half of the time, and everybody else waits for it.
 *
 * Bytes are copied on their way: the original goes to the disk at the same time. The copies lie in memory that both
 * threads see and that is used again and again; copies of their own would be as much garbage as there is payload.
 */
const SOURCE = `
const { createHash } = require("node:crypto");
const { parentPort, workerData } = require("node:worker_threads");
const shared = new Uint8Array(workerData);
const hashes = new Map();
parentPort.on("message", ({ id, at, length, bytes, isEnd, isDropped }) => {
  let hash = hashes.get(id);
  const given = bytes === undefined ? length && shared.subarray(at, at + length) : new Uint8Array(bytes);
  if (given !== undefined) {
    if (hash === undefined) hashes.set(id, (hash = createHash("md5")));
    hash.update(given);
    parentPort.postMessage({ taken: given.length, isShared: bytes === undefined });
  }
  if (isEnd) parentPort.postMessage({ id, digest: (hash ?? createHash("md5")).digest("base64") });
  if (isEnd || isDropped) hashes.delete(id);
});
`;

type Reply =
  | { readonly taken: number; readonly isShared: boolean }
  | { readonly id: number; readonly digest: string };

/** Memory that is lent out piece by piece and comes back in the same order. Places count up and never begin again. */
class SharedRing {
  readonly memory = new SharedArrayBuffer(LIMITS.digestSharedBytes);
  readonly #bytes = new Uint8Array(this.memory);
  readonly #ends: number[] = [];
  #first = 0;
  #next = 0;

  /** Where the copy begins; undefined when there is no room for it. */
  put(bytes: Uint8Array): number | undefined {
    const size = this.#bytes.length;
    const left = size - (this.#next % size);
    const start = left < bytes.length ? this.#next + left : this.#next;
    const end = start + bytes.length;
    if (end - this.#first > size) return undefined;
    this.#bytes.set(bytes, start % size);
    this.#next = end;
    this.#ends.push(end);
    return start % size;
  }

  /** The oldest copy is not needed any more. */
  giveBack(): void {
    this.#first = this.#ends.shift()!;
  }
}

interface Waiter {
  resolve(value: string): void;
  reject(error: unknown): void;
}

class Md5Thread {
  readonly #ring = new SharedRing();
  readonly #worker = new Worker(SOURCE, { eval: true, workerData: this.#ring.memory });
  readonly #digests = new Map<number, Waiter>();
  #waitingBytes = 0;
  #waiting: (() => void)[] = [];
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

  /** When a promise comes back, the thread is behind: wait for it before the next bytes. */
  update(id: number, bytes: Uint8Array): Promise<void> | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    if (bytes.length === 0) return undefined;
    const at = this.#ring.put(bytes);
    if (at !== undefined) this.#worker.postMessage({ id, at, length: bytes.length });
    else {
      const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
      this.#worker.postMessage({ id, bytes: copy }, [copy]);
    }
    if (this.#waitingBytes === 0 && this.#digests.size === 0) this.#worker.ref();
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes <= LIMITS.digestWaitingBytesMax) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  digest(id: number): Promise<string> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#digests.set(id, { resolve, reject });
      this.#worker.ref();
      this.#worker.postMessage({ id, isEnd: true });
    });
  }

  /** Nobody will ask for it. */
  drop(id: number): void {
    if (this.isUsable) this.#worker.postMessage({ id, isDropped: true });
  }

  #receive(reply: Reply): void {
    if ("digest" in reply) {
      this.#digests.get(reply.id)?.resolve(reply.digest);
      this.#digests.delete(reply.id);
    } else {
      this.#waitingBytes -= reply.taken;
      if (reply.isShared) this.#ring.giveBack();
      if (this.#waitingBytes <= LIMITS.digestWaitingBytesMax) this.#wake();
    }
    // Only work under way keeps the process alive.
    if (this.#waitingBytes === 0 && this.#digests.size === 0) this.#worker.unref();
  }

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const { reject } of this.#digests.values()) reject(this.#failure);
    this.#digests.clear();
    this.#wake();
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
