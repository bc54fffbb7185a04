import type { CorsRule } from "../services/account/service-properties.ts";

/**
 * Cross-origin rules as they were a moment ago, for reads that bring no Origin. What such a read is answered
 * may be kept by a cache and given to a browser later, so the answer says for which origins it is good.
 * Nearly no account has rules: a look at the store for each read would cost more than the headers are worth.
 */
export class CorsRulesCache {
  readonly #read: (account: string) => Promise<readonly CorsRule[]>;
  /** Only accounts that exist get here: their number is limited by the accounts file. */
  readonly #known = new Map<string, { rules: readonly CorsRule[]; askedAt: number }>();

  constructor(read: (account: string) => Promise<readonly CorsRule[]>) {
    this.#read = read;
  }

  /** What is known; asks again, for the reads to come, when that is old. `now` is monotonic. */
  of(account: string, now: number): readonly CorsRule[] {
    const known = this.#known.get(account);
    if (known !== undefined && now - known.askedAt < CACHE_MILLIS) return known.rules;
    if (known !== undefined) known.askedAt = now;
    // A store that fails here fails the requests that need it, too, and they say so.
    this.put(account, now).catch(() => undefined);
    return known?.rules ?? NO_RULES;
  }

  /** After the rules were set, the next read goes by the new ones. */
  async put(account: string, now: number): Promise<void> {
    this.#known.set(account, { rules: await this.#read(account), askedAt: now });
  }
}

const CACHE_MILLIS = 1_000;
const NO_RULES: readonly CorsRule[] = [];
