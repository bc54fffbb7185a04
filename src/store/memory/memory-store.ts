import { type Clock, systemClock } from "../../base/clock.ts";
import { StorageFault } from "../../base/faults.ts";
import { finallyDo } from "../../base/maybe-promise.ts";
import type { AsyncCommit, Key, MaybePromise, ReadWork, StoreStats, WriteWork } from "../kv.ts";
import { LongKeyReader } from "../long-keys.ts";
import { OwnedSpace } from "../owned-space.ts";
import { type CommitTarget, SerialWriter } from "../serial-writer.ts";
import { SnapshotReader } from "../snapshot-reader.ts";
import { type RecordSpace, SpaceStore } from "../space-store.ts";
import { alreadyDurable } from "../unsynced-keys.ts";
import { OrderedMap } from "./ordered-map.ts";

/** One key space in memory: for tests, for --inMemory, and for records that need not outlive the process. */
export class MemorySpace implements RecordSpace {
  readonly #map = new OrderedMap();
  readonly #clock: Clock;
  readonly #writer: SerialWriter;
  #isClosed = false;

  /** `isEager`: commits start at once instead of waiting for other writers. */
  constructor(clock: Clock, { isEager = false }: { readonly isEager?: boolean } = {}) {
    this.#clock = clock;
    const target: CommitTarget = {
      refresh: () => this.#map.snapshot(),
      takeOver: () => this.#map.snapshot(),
      releaseSnapshot: () => {},
      isEager,
      commit: async (writes) => this.#apply(writes),
    };
    this.#writer = new SerialWriter(target, clock);
  }

  #apply(writes: ReadonlyMap<Key, Buffer | null>): void {
    for (const [key, value] of writes) {
      if (value === null) this.#map.delete(key);
      // A copy: the value lies in a slab, which it would keep in memory.
      else this.#map.set(key, Buffer.from(value));
    }
  }

  async read<T>(work: ReadWork<T>): Promise<T> {
    return this.readMaybeSync(work);
  }

  readMaybeSync<T>(work: ReadWork<T>): MaybePromise<T> {
    if (this.#isClosed) throw new StorageFault("the store is closed");
    const reader = new LongKeyReader(new SnapshotReader(this.#map.snapshot(), this.#clock));
    return finallyDo(
      () => work(reader),
      () => reader.end(),
    );
  }

  write<T>(work: WriteWork<T>): Promise<T> {
    return this.#writer.write(work);
  }

  commitAsync<T>(work: WriteWork<T>): Promise<AsyncCommit<T>> {
    return alreadyDurable(this.write(work));
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

export class MemoryStore extends SpaceStore {
  readonly #ephemeralSpace: MemorySpace;

  constructor({ clock = systemClock, owner = "memory" }: { clock?: Clock; owner?: string } = {}) {
    const ephemeralSpace = new MemorySpace(clock, { isEager: true });
    super(new MemorySpace(clock), new OwnedSpace(ephemeralSpace, owner));
    this.#ephemeralSpace = ephemeralSpace;
  }

  override async close(): Promise<void> {
    await Promise.all([super.close(), this.#ephemeralSpace.close()]);
  }
}
