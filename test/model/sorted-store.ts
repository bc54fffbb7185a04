import type { Key, Range } from "../../src/store/kv.ts";

/** The store as a sorted array: the plainest thing that keeps the promise, to compare the engines with. */
export class SortedStore {
  #entries: { readonly key: Key; readonly value: string }[] = [];

  get(key: Key): string | undefined {
    return this.#entries.find((entry) => entry.key === key)?.value;
  }

  put(key: Key, value: string): void {
    this.delete(key);
    this.#entries.push({ key, value });
    this.#entries.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  delete(key: Key): void {
    this.#entries = this.#entries.filter((entry) => entry.key !== key);
  }

  range({ from, to, reverse = false, limit = Number.POSITIVE_INFINITY }: Range): string[] {
    const inside = this.#entries.filter(({ key }) => from <= key && key < to);
    if (reverse) inside.reverse();
    return inside.slice(0, limit).map(({ key, value }) => `${key}=${value}`);
  }

  /** Runs a transaction: all of it, or when it throws, nothing. */
  transact<T>(run: () => T): T | "thrown" {
    const before = this.#entries;
    try {
      return run();
    } catch {
      this.#entries = before;
      return "thrown";
    }
  }
}
