import type { Clock, Instant } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Revision, RevisionSource } from "../../base/revision.ts";
import type { Entry, Key, Range, WriteWork } from "../kv.ts";
import { LongKeyWriter, type RawWriter } from "../long-keys.ts";
import { layeredPageAsync, Overlay } from "../overlay.ts";
import { withChecksum } from "../records/checksum.ts";
import { BatchRows } from "./batch-rows.ts";
import { type RecordCache, WrongGuess } from "./record-cache.ts";
import type { Session } from "./session.ts";
import { DatabaseSnapshot } from "./snapshot.ts";
import { bytesArray, keyArray, type Statement } from "./wire.ts";

export type Outcome = { readonly value: unknown } | { readonly error: unknown };

export interface BatchOptions {
  readonly opening: readonly Statement[];
  readonly clock: Clock;
  /** Makes revisions that are unique among all members. */
  readonly revisions: RevisionSource;
  readonly cache: RecordCache;
}

/**
 * Several transactions as one transaction of the database.
 *
 * All run concurrently on the snapshot of the database transaction, so that their reads are fetched together.
 * Then they are accepted in order: one that read or wrote a key that an accepted one wrote runs again, alone,
 * on top of those. The result equals serial execution; the database isolates the batch, one serializable
 * transaction, from other members.
 *
 * Serializable alone would let a batch commit after another member has changed a record that it read and
 * acknowledged that change, as if the batch had come before. A client that relies on the acknowledgement
 * outside the database (an SMB client with exclusive access to a file) would see a violation. So the commit
 * locks the records that were read: a change since the snapshot rolls the batch back, and it runs again.
 */
export class Batch {
  readonly accepted = new Overlay();
  highest: Revision = 0n;
  readonly #options: BatchOptions;
  readonly #snapshot: DatabaseSnapshot;
  readonly #rows: BatchRows;
  readonly #running = new Set<LongKeyWriter>();
  /** Records that the transactions with writes have read. */
  readonly #read = new Set<Key>();

  constructor(options: BatchOptions) {
    this.#options = options;
    this.#snapshot = new DatabaseSnapshot(options.opening);
    this.#rows = new BatchRows(this.#snapshot, options.cache);
  }

  /** The outcomes of the first transactions, as many as fit. Rejects with a failure of the database. */
  async run(session: Session, works: readonly WriteWork<unknown>[]): Promise<Outcome[]> {
    this.#snapshot.start(session);
    const tries = works.map((work) => this.#try(work, []));
    const outcomes: Outcome[] = [];
    for (const [i, trying] of tries.entries()) {
      let done = await trying;
      this.#throwFailure();
      if (done.raw.isTouchedBy(this.accepted)) {
        done = await this.#try(works[i]!, [this.accepted]);
        this.#throwFailure();
      }
      if ("value" in done.outcome) {
        this.accepted.absorb(done.raw.local);
        if (done.raw.local.writes.size > 0) for (const key of done.raw.found) this.#read.add(key);
        if (done.raw.highest > this.highest) this.highest = done.raw.highest;
      }
      outcomes.push(done.outcome);
      if (this.accepted.bytes >= LIMITS.batchBytesMax) break;
    }
    if (!(await this.#rows.areGuessesRight())) throw new WrongGuess();
    return outcomes;
  }

  #throwFailure(): void {
    if (this.#snapshot.failure !== undefined) throw this.#snapshot.failure;
  }

  async #try(
    work: WriteWork<unknown>,
    below: readonly Overlay[],
  ): Promise<{ raw: BatchWriter; outcome: Outcome }> {
    const raw = new BatchWriter(this.#rows, below, this.#options);
    const write = new LongKeyWriter(raw);
    this.#running.add(write);
    let outcome: Outcome;
    try {
      const value = await work(write);
      await write.finish();
      outcome = { value };
    } catch (error) {
      outcome = { error };
    }
    write.end();
    this.#running.delete(write);
    return { raw, outcome };
  }

  /** The last unit: all writes, then `more`, then the commit. */
  closing(more: readonly Statement[]): Statement[] {
    const statements = [...this.#snapshot.takeOpening()];
    const puts: Key[] = [];
    const deletes: Key[] = [];
    // In the order of keys: two members that write the same records cannot deadlock.
    for (const key of [...this.accepted.writes.keys()].sort()) {
      (this.accepted.writes.get(key) === null ? deletes : puts).push(key);
    }
    if (puts.length > 0) {
      const values = puts.map((key) => [withChecksum(key, this.accepted.writes.get(key)!)]);
      statements.push({ name: "put", values: [keyArray(puts), bytesArray(values)] });
    }
    if (deletes.length > 0) statements.push({ name: "delete", values: [keyArray(deletes)] });
    const read = [...this.#read].filter((key) => !this.accepted.writes.has(key)).sort();
    if (read.length > 0) statements.push({ name: "lock_read", values: [keyArray(read)] });
    return [...statements, ...more, { name: "commit", values: [] }];
  }

  /** The database transaction has ended or failed: transactions that still run in it fail. */
  end(error: unknown): void {
    this.#snapshot.fail(error);
    for (const write of this.#running) write.end();
  }
}

/** One transaction: its own writes, over those accepted before it when it runs again, over the snapshot. */
class BatchWriter implements RawWriter {
  readonly isSynchronous = false;
  readonly local = new Overlay();
  /** Existing records that it read. */
  readonly found = new Set<Key>();
  highest: Revision = 0n;
  readonly #rows: BatchRows;
  readonly #layers: readonly Overlay[];
  readonly #options: BatchOptions;
  readonly #read = new Set<Key>();
  readonly #scanned: Range[] = [];
  #now: Instant | undefined;

  constructor(rows: BatchRows, below: readonly Overlay[], options: BatchOptions) {
    this.#rows = rows;
    this.#layers = [this.local, ...below];
    this.#options = options;
  }

  /** Whether these writes could change its outcome. Writing the same key counts: revisions must increase. */
  isTouchedBy(accepted: Overlay): boolean {
    const { writes } = accepted;
    if (writes.size === 0) return false;
    for (const key of this.#read) if (writes.has(key)) return true;
    for (const key of this.local.writes.keys()) if (writes.has(key)) return true;
    return this.#scanned.some(({ from, to }) => accepted.hasIn(from, to));
  }

  async get(key: Key): Promise<Buffer | undefined> {
    for (const layer of this.#layers) {
      const pending = layer.writes.get(key);
      if (pending !== undefined) return pending === null ? undefined : Buffer.from(pending);
    }
    this.#read.add(key);
    const value = await this.#rows.get(key);
    if (value !== undefined) this.found.add(key);
    return value;
  }

  getMany(keys: readonly Key[]): Promise<(Buffer | undefined)[]> {
    return Promise.all(keys.map((key) => this.get(key)));
  }

  async page(range: Range, limit: number): Promise<Entry[]> {
    const page = await layeredPageAsync(this.#layers, this.#rows, range, limit);
    const last = page.at(-1);
    const { from, to, reverse = false } = range;
    // Keys beyond a full page were not read.
    if (last === undefined || page.length < limit) this.#scanned.push(range);
    else this.#scanned.push(reverse ? { from: last.key, to } : { from, to: `${last.key}\0` });
    return page;
  }

  now(): Instant {
    this.#now ??= this.#options.clock.now();
    return this.#now;
  }

  put(key: Key, value: Uint8Array): void {
    this.local.set(key, Buffer.from(value));
  }

  delete(key: Key): void {
    this.local.set(key, null);
  }

  revision(above?: Revision): Revision {
    this.highest = this.#options.revisions.next(above);
    return this.highest;
  }
}
