import type { Clock, Instant } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Revision } from "../../base/revision.ts";
import type { Entry, Key, Range, Writer } from "../kv.ts";
import { LongKeyWriter, type RawWriter } from "../long-keys.ts";
import { layeredPageAsked, Overlay } from "../overlay.ts";
import { BatchRows } from "./batch-rows.ts";
import { type RecordCache, WrongGuess } from "./known-records.ts";
import type { Session } from "./session.ts";
import { DatabaseSnapshot } from "./snapshot.ts";
import { bytesArray, keyArray, type Statement } from "./wire.ts";

export type Run = (write: Writer) => Promise<unknown>;
export type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** Where revisions come from: unique among all nodes. */
export interface RevisionGiver {
  next(above?: Revision): Revision;
}

export interface BatchOptions {
  readonly opening: readonly Statement[];
  readonly clock: Clock;
  readonly revisions: RevisionGiver;
  readonly known: RecordCache;
}

/**
 * Several transactions as one transaction of the database.
 *
 * All of them run at the same time on the snapshot of the database transaction, so that what they read is fetched
 * together. Then they are accepted one after the other, in the order they came: one that read or wrote what an
 * accepted one wrote runs again, alone, on top of those. The result is what running them one by one would have
 * given; the database, which runs the whole as one serializable transaction, keeps it apart from other nodes.
 *
 * Serializable alone would let a batch commit after another node has changed what it read, and been answered, as if
 * it had come before. Who relies on that answer outside the database (an SMB client that was told it has the file to
 * itself) would be surprised. So the records that were read are held along with the commit: one that has changed
 * since undoes the batch, and it runs again.
 */
export class Batch {
  readonly accepted = new Overlay();
  highest: Revision = 0n;
  readonly #options: BatchOptions;
  readonly #snapshot: DatabaseSnapshot;
  readonly #rows: BatchRows;
  readonly #running = new Set<LongKeyWriter>();
  /** What those who wrote had read, and counted on. */
  readonly #held = new Set<Key>();

  constructor(options: BatchOptions) {
    this.#options = options;
    this.#snapshot = new DatabaseSnapshot(options.opening);
    this.#rows = new BatchRows(this.#snapshot, options.known);
  }

  /** The outcomes of as many as fit, from the first on. Rejects with what the database failed with. */
  async run(session: Session, runs: readonly Run[]): Promise<Outcome[]> {
    this.#snapshot.start(session);
    const tries = runs.map((run) => this.#try(run, []));
    const outcomes: Outcome[] = [];
    for (const [i, trying] of tries.entries()) {
      let done = await trying;
      this.#throwFailure();
      if (done.raw.isTouchedBy(this.accepted)) {
        done = await this.#try(runs[i]!, [this.accepted]);
        this.#throwFailure();
      }
      if ("value" in done.outcome) {
        this.accepted.absorb(done.raw.local);
        if (done.raw.local.writes.size > 0) for (const key of done.raw.found) this.#held.add(key);
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

  async #try(run: Run, below: readonly Overlay[]): Promise<{ raw: BatchWriter; outcome: Outcome }> {
    const raw = new BatchWriter(this.#rows, below, this.#options);
    const write = new LongKeyWriter(raw);
    this.#running.add(write);
    let outcome: Outcome;
    try {
      const value = await run(write);
      await write.finish();
      outcome = { value };
    } catch (error) {
      outcome = { error };
    }
    write.end();
    this.#running.delete(write);
    return { raw, outcome };
  }

  /** What makes it so, in one unit: everything written, then whatever the caller adds, then the commit. */
  closing(more: readonly Statement[]): Statement[] {
    const statements = [...this.#snapshot.takeOpening()];
    const puts: Key[] = [];
    const deletes: Key[] = [];
    // In the order of keys: two nodes that write the same records do not wait for each other in a circle.
    for (const key of [...this.accepted.writes.keys()].sort()) {
      (this.accepted.writes.get(key) === null ? deletes : puts).push(key);
    }
    if (puts.length > 0) {
      const values = puts.map((key) => [this.accepted.writes.get(key)!]);
      statements.push({ name: "put", values: [keyArray(puts), bytesArray(values)] });
    }
    if (deletes.length > 0) statements.push({ name: "delete", values: [keyArray(deletes)] });
    const held = [...this.#held].filter((key) => !this.accepted.writes.has(key)).sort();
    if (held.length > 0) statements.push({ name: "hold", values: [keyArray(held)] });
    return [...statements, ...more, { name: "commit", values: [] }];
  }

  /** The database transaction is over or void: whoever still runs in it hears so. */
  end(error: unknown): void {
    this.#snapshot.fail(error);
    for (const write of this.#running) write.end();
  }
}

/** One transaction: its own writes, over those accepted before it when it runs again, over the snapshot. */
class BatchWriter implements RawWriter {
  readonly isSynchronous = false;
  readonly local = new Overlay();
  /** Records that were there when it read them. */
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

  /** Whether it would have run otherwise after these writes. Writing the same key counts: revisions must rise. */
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
    const page = await layeredPageAsked(this.#layers, this.#rows, range, limit);
    const last = page.at(-1);
    const { from, to, reverse = false } = range;
    // What lies beyond a full page has not been seen.
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
