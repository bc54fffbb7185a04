import type { Instant } from "../base/clock.ts";

/**
 * One page of a listing. The service adds entries in order and asks before each one whether the page is full;
 * if it is, the next page begins with that entry. The caller decides what makes a page full: its entries, or
 * their size in the reply.
 */
export interface Page<Item> {
  readonly isFull: boolean;
  add(item: Item): void;
}

/** Makes an empty page. A read may run again, and then begins with a new page. */
export type NewPage<Item, P extends Page<Item>> = (now: Instant) => P;

/** A page and the place where the next one begins: undefined after the last one. */
export interface PageAndNext<P, Position> {
  readonly page: P;
  readonly next: Position | undefined;
}

/** A page of the entries themselves. */
export class ItemPage<Item> implements Page<Item> {
  readonly items: Item[] = [];
  readonly #countMax: number;

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  get isFull(): boolean {
    return this.items.length >= this.#countMax;
  }

  add(item: Item): void {
    this.items.push(item);
  }
}
