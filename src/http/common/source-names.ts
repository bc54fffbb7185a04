import { lookup } from "node:dns/promises";
import type { Timers } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import { Semaphore } from "../../base/semaphore.ts";

/** The addresses of a host name. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

export const resolveBySystem: ResolveName = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);

/** Resolves the host names of sources, a few at a time, each within a time limit. */
export class SourceNames {
  readonly #resolve: ResolveName;
  readonly #timers: Timers;
  readonly #lookups = new Semaphore(LIMITS.sourceLookupsMax);

  constructor(resolve: ResolveName, timers: Timers) {
    this.#resolve = resolve;
    this.#timers = timers;
  }

  /** `localhost` and the names below it are this machine, whatever a name server says. */
  async resolve(hostname: string): Promise<readonly string[]> {
    const literal = /^\[(.*)\]$/.exec(hostname)?.[1] ?? hostname;
    if (/^[\d.]+$/.test(literal) || literal.includes(":")) return [literal];
    if (/(^|\.)localhost\.?$/.test(hostname)) return ["127.0.0.1", "::1"];
    return this.#resolveInTime(hostname);
  }

  /** A lookup cannot be cancelled: a slow one keeps its permit until the system gives up. */
  #resolveInTime(name: string): Promise<readonly string[]> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      const fail = (): void => {
        isOver = true;
        timer.cancel();
        reject(new Refusal("CannotVerifyCopySource"));
      };
      const timer = this.#timers.after(LIMITS.sourceLookupMillis, fail);
      this.#lookups
        .run(async () => (isOver ? [] : this.#resolve(name)))
        .then((addresses) => {
          timer.cancel();
          resolve(addresses);
        }, fail);
    });
  }
}
