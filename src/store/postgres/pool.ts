import type { DatabaseAddress } from "./address.ts";
import { type ConnectOptions, NotPrimary } from "./connect.ts";
import { Session, type Traffic } from "./session.ts";
import type { Prepared } from "./wire.ts";

export interface PoolOptions extends ConnectOptions {
  readonly statements: readonly Prepared[];
  readonly traffic: Traffic;
  readonly max: number;
}

interface Waiter {
  resolve(session: Session): void;
  reject(error: unknown): void;
}

/** Connections to the primary, wherever it is now. Who borrows one gives it back outside of any transaction. */
export class Pool {
  readonly #options: PoolOptions;
  readonly #idle: Session[] = [];
  readonly #waiting: Waiter[] = [];
  readonly #all = new Set<Session>();
  #opening = 0;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** A connection that is there and free, if there is one. */
  acquireIdle(): Session | undefined {
    if (this.#isClosed) return undefined;
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.isSuspect) idle.destroy(new Error("another connection to the database fell silent"));
      if (!idle.isLost) return idle;
    }
    return undefined;
  }

  async acquire(): Promise<Session> {
    if (this.#isClosed) throw new Error("the pool is closed");
    const idle = this.acquireIdle();
    if (idle !== undefined) return idle;
    if (this.#all.size + this.#opening < this.#options.max) {
      try {
        return await this.#open();
      } catch (error) {
        // Its place is free again, and others may wait for one.
        this.#serveNext();
        throw error;
      }
    }
    return new Promise<Session>((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  release(session: Session): void {
    if (session.isLost) {
      this.#all.delete(session);
      this.#serveNext();
      return;
    }
    const waiter = this.#waiting.shift();
    if (waiter !== undefined) waiter.resolve(session);
    else this.#idle.push(session);
  }

  async #open(): Promise<Session> {
    this.#opening++;
    try {
      const session = await openOnPrimary(this.#options);
      if (this.#isClosed) {
        await session.close();
        throw new Error("the pool is closed");
      }
      this.#all.add(session);
      session.onLost = () => {
        this.#all.delete(session);
        const at = this.#idle.indexOf(session);
        if (at >= 0) this.#idle.splice(at, 1);
      };
      return session;
    } finally {
      this.#opening--;
    }
  }

  /** A place in the pool is free again: whoever waits gets a new connection, or hears why there is none. */
  #serveNext(): void {
    const waiter = this.#waiting.shift();
    if (waiter === undefined) return;
    this.#open().then(waiter.resolve, (error: unknown) => {
      waiter.reject(error);
      this.#serveNext();
    });
  }

  /** Everything borrowed must be back. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new Error("the pool is closed"));
    await Promise.all([...this.#all].map((session) => session.close()));
  }
}

/** Where the primary was found last: a host that is down may take its whole time-out to say nothing. */
const lastFound = new WeakMap<DatabaseAddress, number>();

/** Each host in turn until one takes writes; the last reason when none does. */
async function openOnPrimary(options: PoolOptions): Promise<Session> {
  let reason: unknown;
  const { hosts } = options.address;
  const first = lastFound.get(options.address) ?? 0;
  for (let i = 0; i < hosts.length; i++) {
    const at = (first + i) % hosts.length;
    try {
      const session = await Session.open({ ...options, ...hosts[at]! });
      lastFound.set(options.address, at);
      return session;
    } catch (error) {
      // A standby that answers says less than a host that refuses us.
      if (reason === undefined || !(error instanceof NotPrimary)) reason = error;
    }
  }
  throw reason;
}
