import type { Timers } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import { ClientGone } from "../connection/incoming-body.ts";
import type { Client } from "../exchange.ts";

/** How many fetches run at one moment: all together, and for one account. */
export interface SlotLimits {
  readonly total: number;
  readonly perAccount: number;
}

interface Waiter {
  readonly account: string;
  grant(): void;
}

/**
 * Counts fetches. One that finds no slot waits a short while for one, in the order of arrival; an account that uses
 * up its own share does not hold up the others. A client that leaves gives up its place.
 */
export class FetchSlots {
  readonly #limits: SlotLimits;
  readonly #timers: Timers;
  readonly #perAccount = new Map<string, number>();
  readonly #waiters = new Set<Waiter>();
  #inUse = 0;

  constructor(limits: SlotLimits, timers: Timers) {
    this.#limits = limits;
    this.#timers = timers;
  }

  get inUse(): number {
    return this.#inUse;
  }

  /** Resolves with what releases the slot, which may be called more than once. */
  async acquire(account: string, client: Client): Promise<() => void> {
    if (!this.#hasRoom(account)) await this.#wait(account, client);
    else this.#take(account);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#release(account);
    };
  }

  #hasRoom(account: string): boolean {
    const used = this.#perAccount.get(account) ?? 0;
    return this.#inUse < this.#limits.total && used < this.#limits.perAccount;
  }

  #take(account: string): void {
    this.#inUse++;
    this.#perAccount.set(account, (this.#perAccount.get(account) ?? 0) + 1);
  }

  #wait(account: string, client: Client): Promise<void> {
    if (client.hasLeft) throw new ClientGone();
    if (this.#waiters.size >= LIMITS.sourceWaitersMax) throw new Refusal("ServerBusy");
    return new Promise((resolve, reject) => {
      const end = (): void => {
        timer.cancel();
        client.onLeave = undefined;
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter = {
        account,
        grant: () => {
          end();
          this.#take(account);
          resolve();
        },
      };
      const timer = this.#timers.after(LIMITS.sourceWaitMillis, () => {
        end();
        reject(new Refusal("ServerBusy"));
      });
      this.#waiters.add(waiter);
      client.onLeave = () => {
        end();
        reject(new ClientGone());
      };
    });
  }

  #release(account: string): void {
    this.#inUse--;
    const left = this.#perAccount.get(account)! - 1;
    if (left === 0) this.#perAccount.delete(account);
    else this.#perAccount.set(account, left);
    for (const waiter of this.#waiters) {
      if (this.#inUse >= this.#limits.total) return;
      if (this.#hasRoom(waiter.account)) waiter.grant();
    }
  }
}
