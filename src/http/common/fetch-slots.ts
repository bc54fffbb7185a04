import type { Timers } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import { ClientGone } from "../connection/incoming-body.ts";
import type { Client } from "../exchange.ts";

/** How many fetches may run at once: in total, and for one account. */
export interface SlotLimits {
  readonly total: number;
  readonly perAccount: number;
}

interface Waiter {
  readonly account: string;
  grant(): void;
}

/**
 * Limits how many fetches run at once. A fetch without a free slot waits a short time, in the order of
 * arrival; fetches of an account at its own limit do not block those of others. A client that leaves stops
 * waiting.
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

  /** Resolves with the function that releases the slot; further calls of it do nothing. */
  async acquire(account: string, client: Client): Promise<() => void> {
    if (!this.#hasSlot(account)) await this.#wait(account, client);
    else this.#use(account);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#release(account);
    };
  }

  #hasSlot(account: string): boolean {
    const used = this.#perAccount.get(account) ?? 0;
    return this.#inUse < this.#limits.total && used < this.#limits.perAccount;
  }

  #use(account: string): void {
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
          this.#use(account);
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
      if (this.#hasSlot(waiter.account)) waiter.grant();
    }
  }
}
