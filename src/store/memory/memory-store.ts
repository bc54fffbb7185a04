import { type Clock, systemClock } from "../../base/clock.ts";
import { StorageFault } from "../../base/faults.ts";
import { finallyDo } from "../../base/maybe-promise.ts";
import { alreadyDurable } from "../ahead.ts";
import type {
  AsyncCommit,
  AsyncRest,
  EphemeralSpace,
  Key,
  KeySpace,
  MaybePromise,
  Reader,
  Store,
  StoreStats,
  SyncReader,
  SyncWriter,
  Writer,
} from "../kv.ts";
import { LongKeyReader } from "../long-keys.ts";
import { OwnedSpace } from "../owned-space.ts";
import { type CommitTarget, SerialWriter } from "../serial-writer.ts";
import { SnapshotReader } from "../snapshot-reader.ts";
import { withRest } from "../sync-transaction.ts";
import { OrderedMap } from "./ordered-map.ts";

/** One key space in memory: for tests, for --inMemory, and for what need not outlive the process. */
export class MemorySpace implements KeySpace {
  readonly #map = new OrderedMap();
  readonly #clock: Clock;
  readonly #writer: SerialWriter;
  #isClosed = false;

  /** An eager one does not wait for company before a commit, as what is never synced need not. */
  constructor(clock: Clock, { isEager = false }: { readonly isEager?: boolean } = {}) {
    this.#clock = clock;
    const target: CommitTarget = {
      refresh: () => this.#map.snapshot(),
      takeOver: () => this.#map.snapshot(),
      rest: () => {},
      isEager,
      commit: async (writes) => this.#apply(writes),
    };
    this.#writer = new SerialWriter(target, clock);
  }

  #apply(writes: ReadonlyMap<Key, Buffer | null>): void {
    for (const [key, value] of writes) {
      if (value === null) this.#map.delete(key);
      // A copy: the value lies in a larger piece of memory, which it would keep alive for as long as it lives.
      else this.#map.set(key, Buffer.from(value));
    }
  }

  async read<T>(fn: (read: Reader) => MaybePromise<T>): Promise<T> {
    return this.readMaybeSync(fn);
  }

  readMaybeSync<T>(fn: (read: Reader) => MaybePromise<T>): MaybePromise<T> {
    if (this.#isClosed) throw new StorageFault("the store is closed");
    const reader = new LongKeyReader(new SnapshotReader(this.#map.snapshot(), this.#clock));
    return finallyDo(
      () => fn(reader),
      () => reader.end(),
    );
  }

  write<T>(fn: (write: Writer) => MaybePromise<T>): Promise<T> {
    return this.#writer.write(fn);
  }

  stats(): StoreStats {
    return this.#writer.stats();
  }

  watchCommits(listener: (transactions: number) => void): void {
    this.#writer.watchCommits(listener);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#writer.close();
  }
}

export class MemoryStore implements Store {
  readonly ephemeral: EphemeralSpace;
  readonly #space: MemorySpace;
  readonly #ephemeralSpace: MemorySpace;

  constructor({ clock = systemClock, owner = "memory" }: { clock?: Clock; owner?: string } = {}) {
    this.#space = new MemorySpace(clock);
    this.#ephemeralSpace = new MemorySpace(clock, { isEager: true });
    this.ephemeral = new OwnedSpace(this.#ephemeralSpace, owner);
  }

  read<T>(fn: (read: Reader) => MaybePromise<T>): Promise<T> {
    return this.#space.read(fn);
  }

  view<T>(decide: (read: SyncReader) => T | AsyncRest<Reader, T>): MaybePromise<T> {
    return this.#space.readMaybeSync((read) => withRest(read, read.view(decide)));
  }

  write<T>(fn: (write: Writer) => MaybePromise<T>): Promise<T> {
    return this.#space.write(fn);
  }

  update<T>(decide: (write: SyncWriter) => T | AsyncRest<Writer, T>): Promise<T> {
    return this.#space.write((write) => withRest(write, write.update(decide)));
  }

  commitAsync<T>(fn: (write: Writer) => MaybePromise<T>): Promise<AsyncCommit<T>> {
    return alreadyDurable(this.write(fn));
  }

  stats(): StoreStats {
    return this.#space.stats();
  }

  watchCommits(listener: (transactions: number) => void): void {
    this.#space.watchCommits(listener);
  }

  async close(): Promise<void> {
    await Promise.all([this.#space.close(), this.#ephemeralSpace.close()]);
  }
}
