import type { Instant } from "../base/clock.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { Revision } from "../base/revision.ts";

export type { MaybePromise } from "../base/maybe-promise.ts";

/**
 * The store: ordered keys, snapshots, serializable transactions, durability. It holds everything except
 * payload. Three engines implement this interface (memory, embedded, postgres); callers cannot see which one
 * runs.
 *
 * A `Key` is a binary string: one character (0-255) for each byte, so that comparing strings compares bytes
 * and a key can be used in a Map. `packKey` in keys/pack.ts makes them. Keys may have up to
 * `LIMITS.keyBytesMax` bytes on every engine (see long-keys.ts). No key is empty or starts with a byte 00,
 * which is reserved for the store itself. (In the ephemeral space the owner's name counts towards the
 * length.)
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
  /** The value, which the caller owns, or undefined. */
  get(key: Key): MaybePromise<Buffer | undefined>;
  /** Several values in one round trip, in the order of `keys`. */
  getMany(keys: readonly Key[]): MaybePromise<(Buffer | undefined)[]>;
  /**
   * Entries in order, fetched as they are consumed. Leaving the loop ends the scan. Whether the loop sees its
   * own later writes in the range is undefined.
   */
  range(range: Range): AsyncIterable<Entry>;
  /** The first `count` entries of the range, at most a page: cheaper than a loop for few entries. */
  take(range: Range, count: number): MaybePromise<Entry[]>;
  /** The time of this transaction, constant throughout. Rules use only this time. */
  now(): Instant;
  /** Decides from records as `Store.view` does, within this transaction. */
  view<T>(decide: (read: SyncReader) => T): MaybePromise<T>;
}

/** A transaction as a synchronous decision sees it: see `Store.view`. */
export interface SyncReader {
  get(key: Key): Buffer | undefined;
  /** Names all keys at once, so that an engine that has to fetch them needs one round trip. */
  getMany(keys: readonly Key[]): (Buffer | undefined)[];
  now(): Instant;
}

/** The same for a decision that writes: see `Store.update`. */
export interface SyncWriter extends SyncReader, RecordWrites {}

export interface Writer extends Reader, RecordWrites {
  /** Decides from records and writes them as `Store.update` does, within this transaction. */
  update<T>(decide: (write: SyncWriter) => T): MaybePromise<T>;
}

export interface RecordWrites {
  /**
   * Visible to later reads of this transaction, and to others once it is durable. The store copies the value:
   * the caller may reuse its buffer at once.
   */
  put(key: Key, value: Uint8Array): void;
  delete(key: Key): void;
  /**
   * A new revision: unique for all time, above every revision this process has seen, and above `above` (pass
   * the object's current revision, so that its next one is always higher). A transaction that throws gives
   * out none.
   */
  revision(above?: Revision): Revision;
}

export type ReadWork<T> = (read: Reader) => MaybePromise<T>;
export type WriteWork<T> = (write: Writer) => MaybePromise<T>;

export interface KeySpace {
  /**
   * `work` sees one consistent snapshot that includes every write acknowledged before the call, in this
   * process or another. Writers never block it. The snapshot ends when `work` settles, and using the reader
   * later throws: keep it short, and await only the transaction in it.
   */
  read<T>(work: ReadWork<T>): Promise<T>;

  /**
   * Serializable. Resolves only when durable; no reader sees the writes before that. `work` may run again
   * after a conflict, so it has no effect but on the transaction, and it awaits only the transaction, because
   * other writers may wait behind it. When `work` throws, the store discards its writes and passes the error
   * on once everything `work` could have seen is durable.
   *
   * Rejects with `StorageFault` when the writes certainly did not happen; a process that cannot know (a
   * failed sync) stops instead of answering. The one exception is `OutcomeUnknown`: a database has not
   * answered the commit within the time a caller waits. Later writes through this key space come after it,
   * whatever its outcome.
   */
  write<T>(work: WriteWork<T>): Promise<T>;
}

/**
 * The second key space, for records that need not outlive the process that owns them (SMB handles, sessions,
 * roles): the same interface, shared by all processes, no sync on commit. A record belongs to the process
 * that put it last; when that process dies, `releaseOwner` removes its records.
 */
export interface EphemeralSpace extends KeySpace {
  readonly owner: string;
  releaseOwner(owner: string): Promise<void>;
}

export interface StoreStats {
  /** Commits, transactions and bytes in them, since this process opened the store. */
  readonly commits: number;
  readonly transactions: number;
  readonly bytes: number;
  /** Round trips to the database, if there is one, payload and heartbeats included. */
  readonly roundTrips?: number;
}

/** `state` says in words what does not answer, and for how long. */
export interface StoreReadiness {
  readonly isUp: boolean;
  readonly state: string;
}

/** A commit that every later read and write sees, and that may not be on the disk yet. */
export interface AsyncCommit<T> {
  readonly value: T;
  /** Requests the sync. Resolves when durable; rejects with `StorageFault` when the commit was lost. */
  durable(): Promise<void>;
}

export interface Store extends KeySpace {
  readonly ephemeral: EphemeralSpace;
  /**
   * As `read`, with a synchronous function of the records. An engine that has its records at hand runs it at
   * once and returns its result, or throws its error, without a promise. An engine that has to fetch a record
   * abandons `decide` with an exception and runs it again when the record has arrived: so `decide` has no
   * effect but on the transaction, and a `catch` in it rethrows every error it does not expect.
   *
   * A result of `continueAsync` reads on asynchronously in the same snapshot.
   */
  view<T>(decide: (read: SyncReader) => T | AsyncRest<Reader, T>): MaybePromise<T>;
  /** As `write`, with a synchronous function of the records under the rules of `view`. */
  update<T>(decide: (write: SyncWriter) => T | AsyncRest<Writer, T>): Promise<T>;
  /**
   * As `write`, for clients that request durability separately: resolves as soon as every later read and
   * write sees the commit. When `work` throws, the error comes when `write` would pass it on. An engine may
   * wait for the sync.
   */
  commitAsync<T>(work: WriteWork<T>): Promise<AsyncCommit<T>>;
  /** Resolves when every read that began before this call has ended: no older snapshot is in use then. */
  readsEnded(): Promise<void>;
  stats(): StoreStats;
  /** Whether requests can be served, where that changes while the store is open. */
  readiness?(): StoreReadiness;
  /** Calls `listener` after each commit with the number of its transactions; for measurements. */
  watchCommits(listener: (transactions: number) => void): void;
  /** Completes accepted work, then closes. Later calls reject. */
  close(): Promise<void>;
}

/** The rest of a transaction that cannot be decided synchronously: see `Store.view`. */
export class AsyncRest<Transaction, T> {
  readonly run: (transaction: Transaction) => Promise<T>;

  constructor(run: (transaction: Transaction) => Promise<T>) {
    this.run = run;
  }
}

/** Makes a decision continue asynchronously with `run`, in the same transaction. */
export function continueAsync<Transaction, T>(
  run: (transaction: Transaction) => Promise<T>,
): AsyncRest<Transaction, T> {
  return new AsyncRest(run);
}
