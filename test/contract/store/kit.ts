import assert from "node:assert/strict";
import type { Clock } from "../../../src/base/clock.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import type { Entry, Key, KeySpace, Range, Reader, Store } from "../../../src/store/kv.ts";

/** One store on data of its own. */
export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and opens it again on the same data. Absent where nothing outlives the store. */
  readonly reopen?: (options?: OpenOptions) => Promise<Store>;
  /** Transactions run at the same time and again where they met: none waits for another to begin. */
  readonly runsSideBySide?: true;
  /** Closes whatever is open and removes the data. */
  remove(): Promise<void>;
}

export interface OpenOptions {
  readonly clock?: Clock;
  readonly owner?: string;
}

export type OpenStore = (options?: OpenOptions) => Promise<OpenedStore>;

/** Runs a story on a fresh store, and removes it whatever happened. */
export async function onStore(
  open: OpenStore,
  story: (store: Store, opened: OpenedStore) => Promise<void>,
  options?: OpenOptions,
): Promise<void> {
  const opened = await open(options);
  try {
    await story(opened.store, opened);
  } finally {
    await opened.remove();
  }
}

export const bytes = (text: string): Buffer => Buffer.from(text, "utf8");

export function putAll(space: KeySpace, entries: Readonly<Record<Key, string>>): Promise<void> {
  return space.write(async (write) => {
    for (const [key, value] of Object.entries(entries)) write.put(key, bytes(value));
  });
}

export async function readText(space: KeySpace, key: Key): Promise<string | undefined> {
  return (await space.read((read) => read.get(key)))?.toString();
}

export async function entriesOf(reader: Reader, range: Range): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const entry of reader.range(range)) found.push(entry);
  // The first few, asked for without a loop, are the same.
  const count = Math.min(range.limit ?? 3, LIMITS.rangePageEntries);
  assert.deepEqual(await reader.take(range, count), found.slice(0, count));
  return found;
}

/** Keys and values of a range as `key=value`, which reads well when a comparison fails. */
export async function listed(reader: Reader, range: Range): Promise<string[]> {
  return (await entriesOf(reader, range)).map(({ key, value }) => `${key}=${value.toString()}`);
}

export async function keysOf(reader: Reader, range: Range): Promise<Key[]> {
  return (await entriesOf(reader, range)).map(({ key }) => key);
}

export async function keysIn(space: KeySpace, range: Range): Promise<Key[]> {
  return space.read((read) => keysOf(read, range));
}

/** Every key a caller may use. */
export const EVERYTHING: Range = { from: "\x01", to: "\xff\xff" };

/** A promise and the means to settle it: where a story waits for another one. */
export function latch(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Lets timers, immediates and I/O callbacks of other stories run. */
export async function letOthersRun(ticks = 1): Promise<void> {
  for (let tick = 0; tick < ticks; tick++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** A key for people: the byte that fills most of a long one is written once, with its count. */
export function brief(key: Key): string {
  return key.replace(/(.)\1{20,}/gs, (run: string, byte: string) => `${byte}*${run.length} `);
}

/** Equal lists of keys; a failure shows them briefly, since a long key fills pages. */
export function sameKeys(actual: readonly Key[], expected: readonly Key[]): void {
  const isSame = actual.length === expected.length && actual.every((key, index) => key === expected[index]);
  if (!isSame) assert.deepEqual(actual.map(brief), expected.map(brief));
  assert.ok(isSame);
}
