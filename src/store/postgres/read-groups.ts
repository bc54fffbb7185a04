import type { Clock, Instant, Timer } from "../../base/clock.ts";
import { monotonic, systemTimers } from "../../base/clock.ts";
import { StorageFault } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Entry, Key, Range, ReadWork } from "../kv.ts";
import { LongKeyReader, type RawReader } from "../long-keys.ts";
import { failureOf, faultOf } from "./failures.ts";
import { lateFault, type Pool } from "./pool.ts";
import { Guesses, type RecordCache, WrongGuess } from "./record-cache.ts";
import type { Session } from "./session.ts";
import { DatabaseSnapshot } from "./snapshot.ts";

/** More than the idle connections that one failover breaks. */
const REOPEN_TRIES_MAX = 64;

const BEGIN = [{ name: "begin_read", values: [] }];

/** Reads that share a snapshot. */
class Group {
  readonly snapshot = new DatabaseSnapshot(BEGIN);
  readonly reader: RawReader;
  /** When its first answer is due. */
  readonly deadline = monotonic() + LIMITS.databasePatienceMillis;
  lastError: unknown;
  session: Session | undefined;
  readers = 0;
  onEmpty: () => void = () => {};

  constructor(clock: Clock) {
    this.reader = {
      isSynchronous: false,
      get: (key) => this.snapshot.get(key),
      getMany: (keys) => this.snapshot.getMany(keys),
      page: (range, limit) => this.snapshot.page(range, limit),
      now: () => clock.now(),
    };
  }
}

/** One read of a group, with its own time and guesses; turns errors of the database into faults. */
class GroupReader implements RawReader {
  readonly isSynchronous = false;
  readonly #group: RawReader;
  readonly #guesses: Guesses | undefined;
  #now: Instant | undefined;

  constructor(group: RawReader, guesses: Guesses | undefined) {
    this.#group = group;
    this.#guesses = guesses;
  }

  get(key: Key): Promise<Buffer | undefined> {
    const fetched = (this.#group.get(key) as Promise<Buffer | undefined>).catch(throwFault);
    const value = this.#guesses === undefined ? fetched : this.#guesses.guessOr(key, fetched);
    // A guess may be used at once; a fetched record is returned only once all earlier guesses are verified.
    return Buffer.isBuffer(value) ? Promise.resolve(Buffer.from(value)) : this.#verified(value);
  }

  getMany(keys: readonly Key[]): Promise<(Buffer | undefined)[]> {
    return this.#verified((this.#group.getMany(keys) as Promise<(Buffer | undefined)[]>).catch(throwFault));
  }

  page(range: Range, limit: number): Promise<Entry[]> {
    return this.#verified((this.#group.page(range, limit) as Promise<Entry[]>).catch(throwFault));
  }

  async #verified<T>(fetched: Promise<T>): Promise<T> {
    const value = await fetched;
    if (this.#guesses !== undefined && !(await this.#guesses.areRight())) throw new WrongGuess();
    return value;
  }

  now(): Instant {
    this.#now ??= this.#group.now();
    return this.#now;
  }
}

function unwrap<T>(outcome: { value: T } | { error: unknown }): T {
  if ("error" in outcome) throw outcome.error;
  return outcome.value;
}

function throwFault(error: unknown): never {
  throw faultOf(error);
}

export interface ReadGroupsOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly opened: Promise<void>;
  readonly cache: RecordCache;
}

/**
 * Reads share snapshots: all that begin before the snapshot of a group exists use it, and their requests go
 * to the database together. A group begins its snapshot at the end of the tick that formed it, or when a
 * connection is free; later reads form the next group. So a snapshot is always younger than the call of every
 * read on it, and includes all writes acknowledged by then, by this member or another.
 *
 * A single read costs one round trip: BEGIN and its statements go together, and no read waits for the COMMIT.
 */
export class ReadGroups {
  readonly #cache: RecordCache;
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #opened: Promise<void>;
  readonly #sweeper: Timer;
  /** Groups with readers, oldest first. */
  readonly #groups = new Set<Group>();
  #forming: Group | undefined;
  #reads = 0;
  #isClosed = false;
  #onLastRead: () => void = () => {};

  constructor({ pool, clock, opened, cache }: ReadGroupsOptions) {
    this.#cache = cache;
    this.#pool = pool;
    this.#clock = clock;
    this.#opened = opened;
    this.#sweeper = systemTimers.every(LIMITS.databaseLateMillis, () => this.#failLate());
  }

  /** Fails groups without an answer in time; reads leave nothing to undo. */
  #failLate(): void {
    const now = monotonic();
    for (const group of this.#groups) {
      if (group.deadline > now) return;
      if (group.snapshot.isAnswered) continue;
      this.#closeForming(group);
      group.snapshot.fail(lateFault(group.lastError));
      // Fails the pending requests too.
      group.session?.destroy(new Error("the database has stopped answering"));
    }
  }

  async read<T>(work: ReadWork<T>): Promise<T> {
    if (this.#isClosed) throw new StorageFault("the store is closed");
    const group = this.#join();
    this.#reads++;
    try {
      const guesses = new Guesses(this.#cache);
      const first = await this.#tryOnce(group, work, guesses);
      if (await guesses.areRight()) return unwrap(first);
      // The same snapshot, without guesses.
      return unwrap(await this.#tryOnce(group, work, undefined));
    } finally {
      if (--group.readers === 0) {
        this.#groups.delete(group);
        group.onEmpty();
      }
      if (--this.#reads === 0) this.#onLastRead();
    }
  }

  async #tryOnce<T>(
    group: Group,
    work: ReadWork<T>,
    guesses: Guesses | undefined,
  ): Promise<{ value: T } | { error: unknown }> {
    const reader = new LongKeyReader(new GroupReader(group.reader, guesses));
    try {
      return { value: await work(reader) };
    } catch (error) {
      return { error };
    } finally {
      reader.end();
    }
  }

  #join(): Group {
    this.#forming ??= this.#form();
    this.#forming.readers++;
    return this.#forming;
  }

  #form(): Group {
    const group = new Group(this.#clock);
    this.#groups.add(group);
    setImmediate(() => void this.#start(group));
    return group;
  }

  async #start(group: Group): Promise<void> {
    let session: Session;
    try {
      await this.#opened;
      session = await this.#pool.acquireBy(group.deadline);
    } catch (error) {
      this.#closeForming(group);
      group.snapshot.fail(error);
      return;
    }
    this.#closeForming(group);
    if (group.readers === 0 || group.snapshot.failure !== undefined) {
      this.#pool.release(session);
      return;
    }
    let tries = 0;
    group.session = session;
    group.onEmpty = () => this.#end(group, session);
    group.snapshot.reopen = async (error) => {
      if (group.snapshot.failure !== undefined) return undefined;
      if (failureOf(error) !== "gone" || ++tries > REOPEN_TRIES_MAX) return undefined;
      group.lastError = error;
      session.destroy(error as Error);
      this.#pool.release(session);
      // Without a connection, the group has none to release.
      group.onEmpty = () => {};
      const next = await this.#pool.acquireBy(group.deadline);
      if (group.readers === 0 || group.snapshot.failure !== undefined) {
        this.#pool.release(next);
        return undefined;
      }
      session = next;
      group.session = session;
      group.onEmpty = () => this.#end(group, session);
      return session;
    };
    // Begins the transaction even if no read has requested anything yet.
    group.snapshot.start(session);
    setImmediate(() => {
      if (group.snapshot.isBegun || group.readers === 0) return;
      const opening = group.snapshot.takeOpening();
      session.run([...opening, { name: "ping", values: [] }]).then(
        () => {
          group.snapshot.isAnswered = true;
        },
        (error: unknown) => group.snapshot.fail(error),
      );
    });
  }

  #closeForming(group: Group): void {
    if (this.#forming === group) this.#forming = undefined;
  }

  #end(group: Group, session: Session): void {
    if (group.snapshot.failure !== undefined) {
      // The state of the transaction is unknown; a read loses nothing with the connection.
      session.destroy(new Error("a read failed"));
    } else if (group.snapshot.isBegun) {
      session.endTransaction("commit");
    }
    this.#pool.release(session);
  }

  /** Waits for the reads in flight, which keep their snapshot. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#reads > 0) {
      await new Promise<void>((resolve) => {
        this.#onLastRead = resolve;
      });
    }
    this.#sweeper.cancel();
  }
}
