import type { Clock, Instant, Timer } from "../../base/clock.ts";
import { monotonic, systemTimers } from "../../base/clock.ts";
import { StorageFault } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Entry, Key, MaybePromise, Range, Reader } from "../kv.ts";
import { LongKeyReader, type RawReader } from "../long-keys.ts";
import { acquirePatiently, lateFault } from "./acquire-patiently.ts";
import { failureOf, faultOf } from "./failures.ts";
import { Guesses, type RecordCache, WrongGuess } from "./known-records.ts";
import type { Pool } from "./pool.ts";
import type { Session } from "./session.ts";
import { DatabaseSnapshot } from "./snapshot.ts";

/**
 * Reads share snapshots: all that begin before a snapshot is taken stand on it, and what they ask for goes to the
 * database together. A group takes its snapshot at the end of the turn of the event loop that formed it, or when
 * a connection is free; a read that begins later forms the next group. So a snapshot is always younger than the
 * call of every read on it, and includes what had been acknowledged by then, here or on another node.
 *
 * A single read costs one round trip: BEGIN and its statements go together, and nobody waits for the COMMIT.
 */
/** More than the idle connections that one failover leaves behind. */
const REOPEN_TRIES_MAX = 64;

const BEGIN = [{ name: "begin_read", values: [] }];

class Group {
  readonly snapshot = new DatabaseSnapshot(BEGIN);
  readonly reader: RawReader;
  /** When its first answer has to be there. */
  readonly deadline = monotonic() + LIMITS.databasePatienceMillis;
  lastError: unknown;
  session: Session | undefined;
  members = 0;
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

/** One member's view: its own moment, its guesses, and faults as the services know them. */
class MemberReader implements RawReader {
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
    const taken = this.#guesses === undefined ? fetched : this.#guesses.take(key, fetched);
    // What was guessed may be used; what was fetched comes with the certainty of what was guessed before it.
    return Buffer.isBuffer(taken) ? Promise.resolve(Buffer.from(taken)) : this.#surely(taken);
  }

  getMany(keys: readonly Key[]): Promise<(Buffer | undefined)[]> {
    return this.#surely((this.#group.getMany(keys) as Promise<(Buffer | undefined)[]>).catch(throwFault));
  }

  page(range: Range, limit: number): Promise<Entry[]> {
    return this.#surely((this.#group.page(range, limit) as Promise<Entry[]>).catch(throwFault));
  }

  async #surely<T>(fetched: Promise<T>): Promise<T> {
    const value = await fetched;
    if (this.#guesses !== undefined && !(await this.#guesses.areRight())) throw new WrongGuess();
    return value;
  }

  now(): Instant {
    this.#now ??= this.#group.now();
    return this.#now;
  }
}

function passOn<T>(outcome: { value: T } | { error: unknown }): T {
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
  readonly known: RecordCache;
}

export class ReadGroups {
  readonly #known: RecordCache;
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #opened: Promise<void>;
  readonly #sweeper: Timer;
  /** Groups with members, from the oldest on. */
  readonly #groups = new Set<Group>();
  #forming: Group | undefined;
  #reads = 0;
  #isClosed = false;
  #onLastRead: () => void = () => {};

  constructor({ pool, clock, opened, known }: ReadGroupsOptions) {
    this.#known = known;
    this.#pool = pool;
    this.#clock = clock;
    this.#opened = opened;
    this.#sweeper = systemTimers.every(LIMITS.databaseLateMillis, () => this.#failLate());
  }

  /** A group that was not answered in time fails; its members ask for nothing that would have to be undone. */
  #failLate(): void {
    const now = monotonic();
    for (const group of this.#groups) {
      if (group.deadline > now) return;
      if (group.snapshot.isAnswered) continue;
      this.#closeForming(group);
      group.snapshot.fail(lateFault(group.lastError));
      // Who waits for its answer hears as well.
      group.session?.destroy(new Error("the database has stopped answering"));
    }
  }

  async read<T>(fn: (read: Reader) => MaybePromise<T>): Promise<T> {
    if (this.#isClosed) throw new StorageFault("the store is closed");
    const group = this.#join();
    this.#reads++;
    try {
      const guesses = new Guesses(this.#known);
      const first = await this.#tryOnce(group, fn, guesses);
      if (await guesses.areRight()) return passOn(first);
      // The same snapshot, and nothing taken for known.
      return passOn(await this.#tryOnce(group, fn, undefined));
    } finally {
      if (--group.members === 0) {
        this.#groups.delete(group);
        group.onEmpty();
      }
      if (--this.#reads === 0) this.#onLastRead();
    }
  }

  async #tryOnce<T>(
    group: Group,
    fn: (read: Reader) => MaybePromise<T>,
    guesses: Guesses | undefined,
  ): Promise<{ value: T } | { error: unknown }> {
    const reader = new LongKeyReader(new MemberReader(group.reader, guesses));
    try {
      return { value: await fn(reader) };
    } catch (error) {
      return { error };
    } finally {
      reader.end();
    }
  }

  #join(): Group {
    this.#forming ??= this.#form();
    this.#forming.members++;
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
      session = await acquirePatiently(this.#pool, group.deadline);
    } catch (error) {
      this.#closeForming(group);
      group.snapshot.fail(error);
      return;
    }
    this.#closeForming(group);
    if (group.members === 0 || group.snapshot.failure !== undefined) {
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
      // Until there is another one, a group that ends has none to give back.
      group.onEmpty = () => {};
      const next = await acquirePatiently(this.#pool, group.deadline);
      if (group.members === 0 || group.snapshot.failure !== undefined) {
        this.#pool.release(next);
        return undefined;
      }
      session = next;
      group.session = session;
      group.onEmpty = () => this.#end(group, session);
      return session;
    };
    // Whoever has not asked for anything yet stands on the state of this moment all the same.
    group.snapshot.start(session);
    setImmediate(() => {
      if (group.snapshot.isBegun || group.members === 0) return;
      const opening = group.snapshot.takeOpening();
      session.run([...opening, { name: "look", values: [] }]).then(
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
      // The transaction may be in a state of its own; a read has nothing to lose with the connection.
      session.destroy(new Error("a read failed"));
    } else if (group.snapshot.isBegun) {
      session.leave("commit");
    }
    this.#pool.release(session);
  }

  /** Waits for reads under way; they keep their snapshot. */
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
