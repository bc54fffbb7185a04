import type { Instant } from "../base/clock.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { Revision } from "../base/revision.ts";

export type { MaybePromise } from "../base/maybe-promise.ts";

/**
 * The store: ordered keys, snapshots, serializable transactions, durability. Everything that is not payload is
 * a record in it. Three engines offer this interface (memory, embedded, postgres); nothing above can tell which
 * one runs.
 *
 * A `Key` is a binary string: one character (0-255) for each byte, so that comparing strings compares bytes and
 * a key can be a Map key as it is. `packKey` in keys/pack.ts makes them. Keys may be up to
 * `LIMITS.keyBytesMax` long on every engine (see long-keys.ts); none is empty or starts with a byte 00, which
 * the store keeps for itself. (In the ephemeral space the owner's name takes its part of the length.)
 */
export type Key = string;

export interface Entry {
  readonly key: Key;
  readonly value: Buffer;
}

/** Keys from `from` (inclusive) to `to` (exclusive), ascending, or descending with `reverse`. */
export interface Range {
  readonly from: Key;
  readonly to: Key;
  readonly reverse?: boolean;
  readonly limit?: number;
}

export interface Reader {
  /** The value, which belongs to the caller, or undefined. */
  get(key: Key): MaybePromise<Buffer | undefined>;
  /** Several values in one round trip, in the order of `keys`. */
  getMany(keys: readonly Key[]): Promise<(Buffer | undefined)[]>;
  /**
   * Entries in order, fetched as they are consumed. Stop early by leaving the loop. What the loop itself puts or
   * deletes further on may be met or not.
   */
  range(range: Range): AsyncIterable<Entry>;
  /** The first `count` entries of the range, a page at most: without the steps of a loop, and so cheaper for few. */
  take(range: Range, count: number): MaybePromise<Entry[]>;
  /**
   * The time of this transaction, the same whenever it is asked. The engine decides whose clock it is; a rule
   * uses this one and no other.
   */
  now(): Instant;
  /** Decides from records as `Store.view` does, within this transaction. */
  view<T>(decide: (read: SyncReader) => T): MaybePromise<T>;
}

/** A transaction as a synchronous decision sees it: see `Store.view`. */
export interface SyncReader {
  get(key: Key): Buffer | undefined;
  /** Names all keys at once, which an engine that has to fetch them does in one round trip. */
  getMany(keys: readonly Key[]): (Buffer | undefined)[];
  now(): Instant;
}

/** The same for a decision that writes: see `Store.update`. */
export interface SyncWriter extends SyncReader, RecordWrites {}

export interface Writer extends Reader, RecordWrites {
  /** Decides from records and writes them as `Store.update` does, within this transaction. */
  update<T>(decide: (write: SyncWriter) => T): MaybePromise<T>;
}

/** What a transaction may do to records. */
export interface RecordWrites {
  /**
   * Seen by later reads of this transaction, and by others once it is durable. The store takes a copy: the
   * caller may use its buffer again at once.
   */
  put(key: Key, value: Uint8Array): void;
  delete(key: Key): void;
  /**
   * A new revision: unique for all time, above every revision this process has seen, and above `above`
   * (pass the object's present revision, so that its next one is always higher). The revisions of a
   * transaction that throws were never given out.
   */
  revision(above?: Revision): Revision;
}

export interface KeySpace {
  /**
   * `fn` sees one consistent snapshot that includes every write acknowledged before `read` was called, in this
   * process or another. Writers never hold it up. The snapshot ends when `fn` settles, and a reader kept beyond
   * that throws: keep it short, and await nothing but the transaction in it.
   */
  read<T>(fn: (read: Reader) => MaybePromise<T>): Promise<T>;

  /**
   * Serializable. Resolves only when durable; nobody can see it before it is durable. `fn` may run again after a
   * conflict, so it touches nothing but the transaction, and it awaits nothing but the transaction: other
   * writers may be waiting behind it. When `fn` throws, nothing of it is kept, and the error is passed on once
   * everything `fn` could have seen is durable.
   *
   * Rejects with `StorageFault` when the outcome is certain to be "not written"; a process that can no longer
   * tell (a failed sync) stops instead of answering. The one exception is `OutcomeUnknown`: a database has not answered
   * the commit for as long as a caller waits. Later writes through this key space come after it in any case, made or not.
   */
  write<T>(fn: (write: Writer) => MaybePromise<T>): Promise<T>;
}

/**
 * The second key space, for what need not outlive the process that owns it (SMB handles, sessions, roles): the
 * same interface, shared by all processes, no sync on commit. Every record belongs to the process that put it
 * last; when that process dies, `releaseOwner` removes what it owned.
 */
export interface EphemeralSpace extends KeySpace {
  readonly owner: string;
  releaseOwner(owner: string): Promise<void>;
}

export interface StoreStats {
  /** Commits made, transactions and bytes in them, since this process opened the store. */
  readonly commits: number;
  readonly transactions: number;
  readonly bytes: number;
  /** Where a database stands behind the store: how often it was asked something, payload and heartbeats included. */
  readonly roundTrips?: number;
}

/** `state` in words: what does not answer, and for how long. */
export interface StoreReadiness {
  readonly isUp: boolean;
  readonly state: string;
}

/** Written, and seen by every later read and write, but perhaps not on the disk yet. */
export interface AsyncCommit<T> {
  readonly value: T;
  /**
   * Sees to it that it gets there. Resolves when it is; rejects with `StorageFault` when it will never be, and then
   * nobody sees it any more.
   */
  durable(): Promise<void>;
}

export interface Store extends KeySpace {
  readonly ephemeral: EphemeralSpace;
  /**
   * As `read`, with a synchronous function of the records. An engine that has its records at hand runs it at
   * once and returns its result, or throws what it throws, without a promise. One that has to fetch a record
   * abandons `decide` with an exception and runs it again when the record has arrived: so `decide` touches
   * nothing but the transaction, and a `catch` in it passes on every error it does not know.
   *
   * A result of `continueAsync` reads on in the same snapshot, where a decision is not the whole answer.
   */
  view<T>(decide: (read: SyncReader) => T | AsyncRest<Reader, T>): MaybePromise<T>;
  /** As `write`, with a synchronous function of the records under the rules of `view`. */
  update<T>(decide: (write: SyncWriter) => T | AsyncRest<Writer, T>): Promise<T>;
  /**
   * As `write`, for clients that ask for durability later: may resolve as soon as nobody can miss it. When `fn` throws,
   * that is told when `write` would tell it. An engine need not be ahead of anything.
   */
  commitAsync<T>(fn: (write: Writer) => MaybePromise<T>): Promise<AsyncCommit<T>>;
  stats(): StoreStats;
  /** Whether requests will be served, where that can change while the store is open: see a database. */
  readiness?(): StoreReadiness;
  /** Called after each commit with the number of transactions in it; for measuring. */
  watchCommits(listener: (transactions: number) => void): void;
  /** Finishes what was accepted, then closes. Later calls reject. */
  close(): Promise<void>;
}

/** The rest of a transaction that cannot be decided synchronously: see `Store.view`. */
export class AsyncRest<Transaction, T> {
  readonly run: (transaction: Transaction) => Promise<T>;

  constructor(run: (transaction: Transaction) => Promise<T>) {
    this.run = run;
  }
}

/** The result of a decision that is not the whole answer: `run` goes on in the same transaction. */
export function continueAsync<Transaction, T>(
  run: (transaction: Transaction) => Promise<T>,
): AsyncRest<Transaction, T> {
  return new AsyncRest(run);
}
