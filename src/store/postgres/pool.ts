import { type Millis, monotonic, pause, systemTimers } from "../../base/clock.ts";
import { StorageFault } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import { type ConnectOptions, NotPrimary } from "./connect.ts";
import { failureOf, reasonOf } from "./failures.ts";
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

/** Connections to the current primary. A borrower releases one outside of any transaction. */
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

  /** An idle connection, if there is one. */
  acquireIdle(): Session | undefined {
    if (this.#isClosed) return undefined;
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.isSuspect) idle.destroy(new Error("another connection to the database fell silent"));
      if (!idle.isLost) return idle;
    }
    return undefined;
  }

  /** A connection, retried until `deadline`; then rejects with the last reason. */
  async acquireBy(deadline: Millis): Promise<Session> {
    return this.acquireIdle() ?? this.#retryUntil(deadline);
  }

  #retryUntil(deadline: Millis): Promise<Session> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      let reason: unknown;
      const timer = systemTimers.after(Math.max(0, deadline - monotonic()), () => {
        isLate = true;
        reject(lateFault(reason));
      });
      const retry = async (): Promise<void> => {
        while (!isLate) {
          try {
            const session = await this.acquire();
            if (isLate) this.release(session);
            else resolve(session);
            break;
          } catch (error) {
            reason = error;
            if (failureOf(error) !== "gone") {
              reject(error);
              break;
            }
            await pause(LIMITS.databaseRetryMillis);
          }
        }
        timer.cancel();
      };
      void retry();
    });
  }

  async acquire(): Promise<Session> {
    if (this.#isClosed) throw new Error("the pool is closed");
    const idle = this.acquireIdle();
    if (idle !== undefined) return idle;
    if (this.#all.size + this.#opening < this.#options.max) {
      try {
        return await this.#open();
      } catch (error) {
        // The place in the pool is free again, and others may wait for one.
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
      const session = await this.#openOnPrimary();
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

  /** A place in the pool is free: the next waiter gets a new connection, or the reason why there is none. */
  #serveNext(): void {
    const waiter = this.#waiting.shift();
    if (waiter === undefined) return;
    this.#open().then(waiter.resolve, (error: unknown) => {
      waiter.reject(error);
      this.#serveNext();
    });
  }

  /** All connections must have been released. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new Error("the pool is closed"));
    await Promise.all([...this.#all].map((session) => session.close()));
  }

  /** Tries each host until one accepts writes; throws the last reason when none does. */
  async #openOnPrimary(): Promise<Session> {
    let reason: unknown;
    const { address, traffic } = this.#options;
    const { hosts } = address;
    for (let i = 0; i < hosts.length; i++) {
      const at = (traffic.primary + i) % hosts.length;
      try {
        const session = await Session.open({ ...this.#options, ...hosts[at]! });
        traffic.primary = at;
        return session;
      } catch (error) {
        // The refusal of a host says more than the answer of a standby.
        if (reason === undefined || !(error instanceof NotPrimary)) reason = error;
      }
    }
    throw reason;
  }
}

/** The fault of a caller that has waited too long. `cause` is the last reason. */
export function lateFault(cause: unknown): StorageFault {
  const why = cause === undefined ? "" : `: ${reasonOf(cause)}`;
  const message = `the database could not be used for ${LIMITS.databasePatienceMillis / 1_000} s${why}`;
  return new StorageFault(message, { cause, isTransient: true });
}
