import type { Entry, Key, Range } from "../kv.ts";
import { verified } from "../records/checksum.ts";
import type { Session } from "./session.ts";
import { int8, keyArray, type Row, type Statement } from "./wire.ts";

interface Waiter<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

interface PageRequest extends Waiter<Entry[]> {
  readonly range: Range;
  readonly limit: number;
}

/**
 * Reads of one database transaction, for any number of readers. Their requests of one tick are one unit: all
 * keys in one statement, each range in one of its own. The first unit includes the statements that begin the
 * transaction.
 */
export class DatabaseSnapshot {
  readonly #opening: readonly Statement[];
  #session: Session | undefined;
  #isBegun = false;
  #keys = new Map<Key, Waiter<Buffer | undefined>[]>();
  #pages: PageRequest[] = [];
  #isScheduled = false;
  /** Finds another connection when the first unit was lost with its own, before any reader got an answer. */
  reopen: (error: unknown) => Promise<Session | undefined> = async () => undefined;
  /** The database has answered on this snapshot. */
  isAnswered = false;
  /** Set once: no more reads are possible, and earlier ones are not valid. */
  failure: unknown;

  constructor(opening: readonly Statement[]) {
    this.#opening = opening;
  }

  /** Starts to fetch the requests. */
  start(session: Session): void {
    this.#session = session;
    if (this.#keys.size > 0 || this.#pages.length > 0) this.#schedule();
  }

  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** The statements that begin the transaction, for the unit that sends them first. */
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

  /** Rejects pending and later requests. */
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
      for (const page of pages) answerPage(page, results[at++]!.rows);
    } catch (error) {
      if (opening.length > 0 && (await this.#restart(error, keys, pages))) return;
      for (const waiting of keys.values()) for (const { reject } of waiting) reject(error);
      for (const { reject } of pages) reject(error);
      this.fail(error);
    }
  }

  async #restart(
    error: unknown,
    keys: ReadonlyMap<Key, Waiter<Buffer | undefined>[]>,
    pages: readonly PageRequest[],
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

function pageStatement({ range: { from, to, reverse = false }, limit }: PageRequest): Statement {
  return {
    name: reverse ? "page_down" : "page_up",
    values: [Buffer.from(from, "latin1"), Buffer.from(to, "latin1"), int8(limit)],
  };
}

function entryOf(row: Row): Entry {
  const key = row[0]!.latin1Slice();
  return { key, value: verified(key, row[1]!) };
}

/** Damage fails those who read it, not the others on this snapshot. */
function answerPage({ resolve, reject }: PageRequest, rows: readonly Row[]): void {
  try {
    resolve(rows.map(entryOf));
  } catch (error) {
    reject(error);
  }
}

function answerKeys(keys: ReadonlyMap<Key, Waiter<Buffer | undefined>[]>, rows: readonly Row[]): void {
  const found = new Map(rows.map((row) => [row[0]!.latin1Slice(), row[1]!]));
  for (const [key, waiting] of keys) {
    const stored = found.get(key);
    for (const [i, { resolve, reject }] of waiting.entries()) {
      try {
        const value = stored === undefined ? undefined : verified(key, stored);
        // A copy for each reader, which may change it.
        resolve(value === undefined || i === 0 ? value : Buffer.from(value));
      } catch (error) {
        reject(error);
      }
    }
  }
}
