import type { WriteLock } from "../serial-writer.ts";

/**
 * The write lock of processes that share one embedded store. The supervisor grants it to one process at a
 * time; the holder keeps it until another process wants it, completes its batch, and releases it. This is
 * faster than two writers that contend for LMDB's lock (decision 0002), and it lets the holder run
 * transactions in memory, because no other process can change the state.
 *
 * When the holder dies, LMDB knows whether its last commit happened, and the next process gets the lock.
 */
export interface WriteLockMessage {
  readonly lock: string;
  readonly do: "want" | "done" | "grant" | "yield";
}

export function isWriteLockMessage(message: unknown): message is WriteLockMessage {
  return typeof message === "object" && message !== null && "lock" in message && "do" in message;
}

/** The side of a process that wants to write. Pass it every message of the supervisor. */
export class WriteLockClient implements WriteLock {
  readonly #name: string;
  readonly #send: (message: WriteLockMessage) => void;
  #granted: (() => void) | undefined;
  #isAcquired = false;
  #isWanted = false;
  #wake: () => void = () => {};

  constructor(name: string, send: (message: WriteLockMessage) => void) {
    this.#name = name;
    this.#send = send;
  }

  acquire(): Promise<void> {
    return new Promise((resolve) => {
      this.#granted = resolve;
      this.#send({ lock: this.#name, do: "want" });
    });
  }

  isAcquired(): boolean {
    return this.#isAcquired;
  }

  isWanted(): boolean {
    return this.#isWanted;
  }

  release(): void {
    this.#isAcquired = false;
    this.#isWanted = false;
    this.#send({ lock: this.#name, do: "done" });
  }

  onWanted(wake: () => void): void {
    this.#wake = wake;
  }

  receive(message: WriteLockMessage): void {
    if (message.lock !== this.#name) return;
    if (message.do === "yield") {
      this.#isWanted = true;
      this.#wake();
    } else if (message.do === "grant") {
      this.#isAcquired = true;
      const granted = this.#granted;
      this.#granted = undefined;
      granted?.();
    }
  }
}

/**
 * Opens a store that other processes have open. While LMDB opens, it publishes to every process the newest
 * transaction that it has just read (ITS#9496, in the copy that the `lmdb` package carries): an acknowledged
 * commit of another process at that moment would be lost and overwritten. So the opening process holds the
 * write locks.
 */
export async function withWriteLocks<T>(locks: readonly WriteLock[], open: () => T): Promise<T> {
  // No deadlock: every process uses the same order, and a holder never waits for another lock.
  for (const lock of locks) await lock.acquire();
  try {
    return open();
  } finally {
    for (const lock of locks) lock.release();
  }
}

/** The side of the supervisor, which grants the lock in the order of requests. */
export class WriteLockArbiter {
  readonly #send: (process: number, message: WriteLockMessage) => void;
  readonly #locks = new Map<string, { holder: number | undefined; waiting: number[] }>();
  readonly #gone = new Set<number>();

  constructor(send: (process: number, message: WriteLockMessage) => void) {
    this.#send = send;
  }

  receive(process: number, message: WriteLockMessage): void {
    // A message may arrive after its sender died; a lock granted then would never be released.
    if (this.#gone.has(process)) return;
    const lock = this.#locks.get(message.lock) ?? { holder: undefined, waiting: [] };
    this.#locks.set(message.lock, lock);
    if (message.do === "want") {
      lock.waiting.push(process);
      if (lock.holder === undefined) this.#grantNext(message.lock);
      else this.#send(lock.holder, { lock: message.lock, do: "yield" });
    } else if (message.do === "done" && lock.holder === process) {
      lock.holder = undefined;
      this.#grantNext(message.lock);
    }
  }

  /** The process has ended; its number is never used again. */
  forget(process: number): void {
    this.#gone.add(process);
    for (const [name, lock] of this.#locks) {
      lock.waiting = lock.waiting.filter((waiting) => waiting !== process);
      if (lock.holder !== process) continue;
      lock.holder = undefined;
      this.#grantNext(name);
    }
  }

  #grantNext(name: string): void {
    const lock = this.#locks.get(name)!;
    lock.holder = lock.waiting.shift();
    if (lock.holder === undefined) return;
    this.#send(lock.holder, { lock: name, do: "grant" });
    if (lock.waiting.length > 0) this.#send(lock.holder, { lock: name, do: "yield" });
  }
}
