import type { WriteLock } from "../serial-writer.ts";

/**
 * Who may write, among processes that share one embedded store. A supervisor holds the turn and lends it to one
 * process at a time; the holder keeps it until another one asks, finishes the batch under way, and gives it back.
 * One writer at a time is faster than two that meet at LMDB's lock (decision 0002), and it lets each
 * process run its transactions in memory, knowing that nobody else moves the state under it.
 *
 * A process that dies with the turn has either committed or not; LMDB tells which, and the turn goes on.
 */
export interface WriteLockMessage {
  readonly lock: string;
  readonly do: "want" | "done" | "grant" | "yield";
}

export function isWriteLockMessage(message: unknown): message is WriteLockMessage {
  return typeof message === "object" && message !== null && "lock" in message && "do" in message;
}

/** The side of a process that wants to write. Feed it every message that names its turn. */
export class WriteLockClient implements WriteLock {
  readonly #name: string;
  readonly #send: (message: WriteLockMessage) => void;
  #granted: (() => void) | undefined;
  #isHeld = false;
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

  isHeld(): boolean {
    return this.#isHeld;
  }

  isWanted(): boolean {
    return this.#isWanted;
  }

  release(): void {
    this.#isHeld = false;
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
      this.#isHeld = true;
      const granted = this.#granted;
      this.#granted = undefined;
      granted?.();
    }
  }
}

/**
 * Opens a store that other processes have open. While LMDB opens, it tells every process which transaction is the
 * newest, as it has just read it (ITS#9496, in the copy that the `lmdb` package carries): a commit of another
 * process in that moment would be forgotten, though it was acknowledged, and then written over. So nobody may
 * commit meanwhile: whoever opens holds the turns.
 */
export async function withWriteLocks<T>(locks: readonly WriteLock[], open: () => T): Promise<T> {
  // In the same order everywhere, and a holder never waits for another turn: no two can wait for each other.
  for (const lock of locks) await lock.acquire();
  try {
    return open();
  } finally {
    for (const lock of locks) lock.release();
  }
}

/** The side of the supervisor: first come, first served. */
export class WriteLockArbiter {
  readonly #send: (process: number, message: WriteLockMessage) => void;
  readonly #locks = new Map<string, { holder: number | undefined; waiting: number[] }>();
  readonly #gone = new Set<number>();

  constructor(send: (process: number, message: WriteLockMessage) => void) {
    this.#send = send;
  }

  receive(process: number, message: WriteLockMessage): void {
    // Its last words may arrive after its death. A turn lent to the dead never comes back.
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

  /** The process is gone for good; its number is not used for another one. */
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
