import { copyPage } from "../base/bytes.ts";
import type { Entry, Key, Range } from "./kv.ts";

/** Writes above a committed state, as a reader sees them. */
export interface PendingWrites {
  /** Null: deleted; undefined: no pending write. The caller copies the bytes. */
  get(key: Key): Buffer | null | undefined;
  /** Both may include keys without a pending write. */
  hasIn(from: Key, to: Key): boolean;
  keysIn(from: Key, to: Key): Key[];
}

/**
 * Uncommitted writes of one transaction or of a batch. Ordered, so that a scan can merge them; `null` marks a
 * deletion. The transactions of a batch write into it one after another; `undo` removes the writes since
 * `begin`.
 */
export class Overlay implements PendingWrites {
  readonly writes = new Map<Key, Buffer | null>();
  readonly #keys = new OrderedKeys();
  /** The keys in the order in which they were set, and the former value of each. */
  readonly #changed: Key[] = [];
  readonly #former: (Buffer | null | undefined)[] = [];
  #changedBefore = 0;
  #bytesBefore = 0;
  bytes = 0;

  get(key: Key): Buffer | null | undefined {
    return this.writes.get(key);
  }

  set(key: Key, value: Buffer | null): void {
    const former = this.writes.get(key);
    this.#changed.push(key);
    this.#former.push(former);
    this.writes.set(key, value);
    if (former === undefined) this.#keys.add(key);
    this.bytes += key.length + (value?.length ?? 0);
  }

  /** `undo` returns to this state. */
  begin(): void {
    this.#changedBefore = this.#changed.length;
    this.#bytesBefore = this.bytes;
  }

  undo(): void {
    while (this.#changed.length > this.#changedBefore) {
      const key = this.#changed.pop()!;
      const former = this.#former.pop();
      if (former === undefined) {
        this.writes.delete(key);
        this.#keys.remove(key);
      } else this.writes.set(key, former);
    }
    this.bytes = this.#bytesBefore;
  }

  /** The keys set since `begin`, possibly with repetitions. */
  get changed(): readonly Key[] {
    return this.#changed.slice(this.#changedBefore);
  }

  /** Adds the writes of `later`, which was written on top of this. */
  absorb(later: Overlay): void {
    for (const [key, value] of later.writes) this.set(key, value);
  }

  hasIn(from: Key, to: Key): boolean {
    return this.#keys.hasIn(from, to);
  }

  keysIn(from: Key, to: Key): Key[] {
    return this.#keys.keysIn(from, to);
  }
}

/** Keys, each added once, sorted only when a range of them is requested: most transactions never do. */
export class OrderedKeys {
  /** Sorted; without the keys in `#added`. */
  readonly #keys: Key[] = [];
  readonly #added: Key[] = [];

  add(key: Key): void {
    this.#added.push(key);
  }

  remove(key: Key): void {
    const added = this.#added.lastIndexOf(key);
    if (added >= 0) this.#added.splice(added, 1);
    else this.#keys.splice(this.#indexOf(key), 1);
  }

  hasIn(from: Key, to: Key): boolean {
    this.#sort();
    const at = this.#indexOf(from);
    return at < this.#keys.length && this.#keys[at]! < to;
  }

  keysIn(from: Key, to: Key): Key[] {
    this.#sort();
    return this.#keys.slice(this.#indexOf(from), this.#indexOf(to));
  }

  #sort(): void {
    if (this.#added.length === 0) return;
    if (this.#added.length <= FEW || this.#added.length * 8 < this.#keys.length) {
      for (const key of this.#added) this.#keys.splice(this.#indexOf(key), 0, key);
    } else {
      for (const key of this.#added) this.#keys.push(key);
      this.#keys.sort(byBytes);
    }
    this.#added.length = 0;
  }

  /** Index of the first key at or above `key`. */
  #indexOf(key: Key): number {
    let low = 0;
    let high = this.#keys.length;
    if (high > 0 && this.#keys[high - 1]! < key) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#keys[middle]! < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Up to this many keys, inserting each is faster than sorting all. */
const FEW = 6;

const byBytes = (a: Key, b: Key): number => (a < b ? -1 : a > b ? 1 : 0);

/** A committed state that is read synchronously. */
export interface Snapshot {
  get(key: Key): Buffer | undefined;
  page(range: Range, limit: number): Entry[];
}

/** The pending write of a key in the newest layer that has one. The bytes are not the caller's: copy them. */
export function pendingIn(layers: readonly PendingWrites[], key: Key): Buffer | null | undefined {
  for (const layer of layers) {
    const pending = layer.get(key);
    if (pending !== undefined) return pending;
  }
  return undefined;
}

export function layeredPage(
  layers: readonly PendingWrites[],
  base: Snapshot,
  range: Range,
  limit: number,
): Entry[] {
  const page = base.page(range, limit);
  if (!pageTouches(layers, range, page, limit)) return page;
  const merge = new PageMerge(layers, range, limit);
  merge.add(page);
  while (merge.isOpen) merge.add(base.page(merge.rest, merge.left));
  return merge.found;
}

/** Whether a write is pending in the keys that a page covers: up to its last key, or the whole range. */
export function pageTouches(
  layers: readonly PendingWrites[],
  { from, to, reverse = false }: Range,
  page: readonly Entry[],
  limit: number,
): boolean {
  const last = page.length < limit ? undefined : page[page.length - 1];
  const low = last !== undefined && reverse ? last.key : from;
  const high = last === undefined || reverse ? to : last.key;
  for (const layer of layers) {
    if (layer.hasIn(low, high) || (last !== undefined && layer.get(last.key) !== undefined)) return true;
  }
  return false;
}

/** Merges pages of the committed state with the pending writes above them into one page. */
class PageMerge {
  readonly found: Entry[] = [];
  readonly #layers: readonly PendingWrites[];
  readonly #limit: number;
  readonly #reverse: boolean;
  #from: Key;
  #to: Key;

  constructor(layers: readonly PendingWrites[], { from, to, reverse = false }: Range, limit: number) {
    this.#layers = layers;
    this.#limit = limit;
    this.#reverse = reverse;
    this.#from = from;
    this.#to = to;
  }

  get isOpen(): boolean {
    return this.found.length < this.#limit && this.#from < this.#to;
  }

  /** The range to read next from the committed state, and how much of it. */
  get rest(): Range {
    return { from: this.#from, to: this.#to, reverse: this.#reverse };
  }

  get left(): number {
    return this.#limit - this.found.length;
  }

  add(page: readonly Entry[]): void {
    const reverse = this.#reverse;
    const last = page.at(-1);
    const isLast = last === undefined || page.length < this.left;
    // The keys this page covers: up to its last key, or all of the rest.
    const low = reverse && !isLast ? last.key : this.#from;
    const high = reverse || isLast ? this.#to : `${last.key}\0`;
    for (const entry of mergeStretch(this.#layers, page, low, high, reverse)) {
      if (this.found.length < this.#limit) this.found.push(entry);
    }
    if (isLast) this.#from = this.#to;
    else if (reverse) this.#to = low;
    else this.#from = high;
  }
}

/** `layeredPage` over a state that is read asynchronously. */
export async function layeredPageAsync(
  layers: readonly PendingWrites[],
  base: { page(range: Range, limit: number): Promise<Entry[]> },
  range: Range,
  limit: number,
): Promise<Entry[]> {
  const merge = new PageMerge(layers, range, limit);
  while (merge.isOpen) merge.add(await base.page(merge.rest, merge.left));
  return merge.found;
}

function mergeStretch(
  layers: readonly PendingWrites[],
  page: readonly Entry[],
  low: Key,
  high: Key,
  reverse: boolean,
): Entry[] {
  const pending = new Map<Key, Buffer | null>();
  for (const layer of layers) {
    for (const key of layer.keysIn(low, high)) {
      const value = pending.has(key) ? undefined : layer.get(key);
      if (value !== undefined) pending.set(key, value);
    }
  }
  const merged: Entry[] = page.filter((entry) => !pending.has(entry.key));
  for (const [key, value] of pending) {
    if (value !== null) merged.push({ key, value: copyPage(value) });
  }
  if (pending.size > 0) {
    merged.sort((a, b) => (a.key < b.key ? -1 : 1));
    if (reverse) merged.reverse();
  }
  return merged;
}
