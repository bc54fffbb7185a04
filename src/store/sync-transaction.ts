import type { Instant } from "../base/clock.ts";
import { then } from "../base/maybe-promise.ts";
import type { Revision } from "../base/revision.ts";
import {
  AsyncRest,
  type Key,
  type MaybePromise,
  type Reader,
  type SyncReader,
  type SyncWriter,
  type Writer,
} from "./kv.ts";

/**
 * Synchronous decisions over engines that read synchronously and over those that cannot.
 *
 * The embedded and the memory engine have every record at hand, so a decision runs once. A database has to
 * fetch: when a decision reads a record that was not fetched yet, it is abandoned, and it runs again in the
 * same snapshot once the record has arrived. A decision over a chain of records (a container, then a blob in
 * it) costs one round trip for each link; `getMany` fetches all keys that are known in advance in one.
 */

/** Abandons a decision that reads a record which is not fetched yet. Decisions rethrow it. */
class NotFetched extends Error {
  override readonly name = "NotFetched";
}

/** Runs the rest of a decision where it has one, in the same transaction. */
export function withRest<Transaction, T>(
  transaction: Transaction,
  decided: MaybePromise<T | AsyncRest<Transaction, T>>,
): MaybePromise<T> {
  return then(decided, (outcome) => (outcome instanceof AsyncRest ? outcome.run(transaction) : outcome));
}

class FetchingReader implements SyncReader {
  readonly #reader: Reader;
  readonly #fetched = new Map<Key, Buffer | undefined>();
  #fetching: Promise<void>[] = [];

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  get(key: Key): Buffer | undefined {
    if (!this.#isFetched(key)) throw new NotFetched();
    return this.#fetched.get(key);
  }

  getMany(keys: readonly Key[]): (Buffer | undefined)[] {
    // Requests all keys before the decision is abandoned: they arrive in one round trip.
    const missing = keys.filter((key) => !this.#isFetched(key));
    if (missing.length > 0) throw new NotFetched();
    return keys.map((key) => this.#fetched.get(key));
  }

  now(): Instant {
    return this.#reader.now();
  }

  #isFetched(key: Key): boolean {
    if (this.#fetched.has(key)) return true;
    const found = this.#reader.get(key);
    if (found instanceof Promise) {
      const arriving = found.then((value) => void this.#fetched.set(key, value));
      // A decision that throws another error never awaits it.
      arriving.catch(() => {});
      this.#fetching.push(arriving);
      return false;
    }
    this.#fetched.set(key, found);
    return true;
  }

  /** Resolves when every record that an abandoned decision requested has arrived. */
  async arrived(): Promise<void> {
    const fetching = this.#fetching;
    this.#fetching = [];
    await Promise.all(fetching);
  }
}

/** Buffers the writes of a decision until it is complete: an abandoned one leaves none behind. */
class FetchingWriter extends FetchingReader implements SyncWriter {
  readonly #writer: Writer;
  readonly #writes = new Map<Key, Buffer | null>();

  constructor(writer: Writer) {
    super(writer);
    this.#writer = writer;
  }

  override get(key: Key): Buffer | undefined {
    const written = this.#writes.get(key);
    if (written !== undefined) return written === null ? undefined : Buffer.from(written);
    return super.get(key);
  }

  override getMany(keys: readonly Key[]): (Buffer | undefined)[] {
    super.getMany(keys.filter((key) => !this.#writes.has(key)));
    return keys.map((key) => this.get(key));
  }

  put(key: Key, value: Uint8Array): void {
    this.#writes.set(key, Buffer.from(value));
  }

  delete(key: Key): void {
    this.#writes.set(key, null);
  }

  revision(above?: Revision): Revision {
    return this.#writer.revision(above);
  }

  abandon(): void {
    this.#writes.clear();
  }

  complete(): void {
    for (const [key, value] of this.#writes) {
      if (value === null) this.#writer.delete(key);
      else this.#writer.put(key, value);
    }
  }
}

/** Runs `decide` until everything it reads has been fetched. */
export async function viewFetching<T>(reader: Reader, decide: (read: SyncReader) => T): Promise<T> {
  const read = new FetchingReader(reader);
  for (;;) {
    try {
      return decide(read);
    } catch (error) {
      if (!(error instanceof NotFetched)) throw error;
    }
    await read.arrived();
  }
}

/** As `viewFetching`, for a decision that writes. */
export async function updateFetching<T>(writer: Writer, decide: (write: SyncWriter) => T): Promise<T> {
  const write = new FetchingWriter(writer);
  for (;;) {
    try {
      const value = decide(write);
      write.complete();
      return value;
    } catch (error) {
      if (!(error instanceof NotFetched)) throw error;
    }
    write.abandon();
    await write.arrived();
  }
}
