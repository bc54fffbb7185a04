import { Worker } from "node:worker_threads";
import { LIMITS } from "./limits.ts";

/**
 * MD5 of long bodies in a thread of its own. It is the costliest thing that happens to an upload: in the thread that
 * serves requests it takes half of the time, and everybody else waits for it.
 *
 * Bytes are copied on their way: the original goes to the disk at the same time.
 */
const SOURCE = `
const { createHash } = require("node:crypto");
const { parentPort } = require("node:worker_threads");
const hashes = new Map();
parentPort.on("message", ({ id, bytes, isEnd, isDropped }) => {
  let hash = hashes.get(id);
  if (bytes !== undefined) {
    if (hash === undefined) hashes.set(id, (hash = createHash("md5")));
    hash.update(new Uint8Array(bytes));
    parentPort.postMessage({ taken: bytes.byteLength });
  }
  if (isEnd) parentPort.postMessage({ id, digest: (hash ?? createHash("md5")).digest("base64") });
  if (isEnd || isDropped) hashes.delete(id);
});
`;

type Reply = { readonly taken: number } | { readonly id: number; readonly digest: string };

interface Waiter {
  resolve(value: string): void;
  reject(error: unknown): void;
}

class Md5Thread {
  readonly #worker = new Worker(SOURCE, { eval: true });
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
    const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
    this.#worker.postMessage({ id, bytes: copy }, [copy]);
    this.#worker.ref();
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
