import type { Entry, Key, Range } from "../kv.ts";
import type { Session } from "./session.ts";
import { int8, keyArray, type Row, type Statement } from "./wire.ts";

interface Waiter<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

interface PageAsked extends Waiter<Entry[]> {
  readonly range: Range;
  readonly limit: number;
}

/**
 * Reads of one database transaction, for any number of readers. What they ask for in one turn of the event loop
 * goes as one unit: all keys in one statement, each range in one of its own. The statements that begin the
 * transaction go along with the first of them.
 */
export class DatabaseSnapshot {
  readonly #opening: readonly Statement[];
  #session: Session | undefined;
  #isBegun = false;
  #keys = new Map<Key, Waiter<Buffer | undefined>[]>();
  #pages: PageAsked[] = [];
  #isScheduled = false;
  /** Finds another connection when the first unit was lost with its own: nobody has been answered yet. */
  reopen: (error: unknown) => Promise<Session | undefined> = async () => undefined;
  /** The database has answered on this snapshot. */
  isAnswered = false;
  /** Set once: nothing can be read any more, and nothing that was read may be believed. */
  failure: unknown;

  constructor(opening: readonly Statement[]) {
    this.#opening = opening;
  }

  /** From here on what was asked is fetched. */
  start(session: Session): void {
    this.#session = session;
    if (this.#keys.size > 0 || this.#pages.length > 0) this.#schedule();
  }

  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** The statements that begin the transaction, for who sends them along with others: once. */
  takeOpening(): readonly Statement[] {
    if (this.#isBegun) return [];
    this.#isBegun = true;
    return this.#opening;
  }

  get(key: Key): Promise<Buffer | undefined> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    return new Promise((resolve, reject) => {
      const waiting = this.#keys.get(key);
      if (waiting === undefined) this.#keys.set(key, [{ resolve, reject }]);
      else waiting.push({ resolve, reject });
      this.#schedule();
    });
  }

  getMany(keys: readonly Key[]): Promise<(Buffer | undefined)[]> {
    return Promise.all(keys.map((key) => this.get(key)));
  }

  page(range: Range, limit: number): Promise<Entry[]> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    if (range.from >= range.to || limit <= 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      this.#pages.push({ range, limit, resolve, reject });
      this.#schedule();
    });
  }

  /** Nobody is answered from here any more. */
  fail(error: unknown): void {
    this.failure ??= error;
    for (const waiting of this.#keys.values()) for (const { reject } of waiting) reject(this.failure);
    for (const { reject } of this.#pages) reject(this.failure);
    this.#keys = new Map();
    this.#pages = [];
  }

  #schedule(): void {
    if (this.#session === undefined || this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#fetch(this.#session!);
    });
  }

  async #fetch(session: Session): Promise<void> {
    const [keys, pages] = [this.#keys, this.#pages];
    if (keys.size === 0 && pages.length === 0) return;
    this.#keys = new Map();
    this.#pages = [];
    const opening = this.takeOpening();
    const statements = [...opening];
    if (keys.size > 0) statements.push({ name: "get_many", values: [keyArray([...keys.keys()])] });
    for (const page of pages) statements.push(pageStatement(page));
    try {
      const { results } = await session.run(statements);
      this.isAnswered = true;
      let at = opening.length;
      if (keys.size > 0) answerKeys(keys, results[at++]!.rows);
      for (const page of pages) page.resolve(results[at++]!.rows.map(entryOf));
    } catch (error) {
      if (opening.length > 0 && (await this.#startAnew(error, keys, pages))) return;
      for (const waiting of keys.values()) for (const { reject } of waiting) reject(error);
      for (const { reject } of pages) reject(error);
      this.fail(error);
    }
  }

  async #startAnew(
    error: unknown,
    keys: ReadonlyMap<Key, Waiter<Buffer | undefined>[]>,
    pages: readonly PageAsked[],
  ): Promise<boolean> {
    this.#session = undefined;
    const session = await this.reopen(error).catch(() => undefined);
    if (session === undefined) return false;
    this.#isBegun = false;
    for (const [key, waiting] of keys) this.#keys.set(key, [...(this.#keys.get(key) ?? []), ...waiting]);
    this.#pages.push(...pages);
    this.start(session);
    return true;
  }
}

function pageStatement({ range: { from, to, reverse = false }, limit }: PageAsked): Statement {
  return {
    name: reverse ? "page_down" : "page_up",
    values: [Buffer.from(from, "latin1"), Buffer.from(to, "latin1"), int8(limit)],
  };
}

function entryOf(row: Row): Entry {
  return { key: row[0]!.latin1Slice(), value: row[1]! };
}

function answerKeys(keys: ReadonlyMap<Key, Waiter<Buffer | undefined>[]>, rows: readonly Row[]): void {
  const found = new Map(rows.map((row) => [row[0]!.latin1Slice(), row[1]!]));
  for (const [key, waiting] of keys) {
    const value = found.get(key);
    // Each its own: a reader may change what it got.
    for (const [i, { resolve }] of waiting.entries()) {
      resolve(value === undefined || i === 0 ? value : Buffer.from(value));
    }
  }
}
