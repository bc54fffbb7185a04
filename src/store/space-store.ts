import type {
  AsyncCommit,
  AsyncRest,
  EphemeralSpace,
  KeySpace,
  MaybePromise,
  Reader,
  ReadWork,
  Store,
  StoreStats,
  SyncReader,
  SyncWriter,
  Writer,
  WriteWork,
} from "./kv.ts";
import { withRest } from "./sync-transaction.ts";

/** The durable key space of an engine. */
export interface RecordSpace extends KeySpace {
  /** As `read`, without a promise when the engine and `work` need none. */
  readMaybeSync<T>(work: ReadWork<T>): MaybePromise<T>;
  commitAsync<T>(work: WriteWork<T>): Promise<AsyncCommit<T>>;
  stats(): StoreStats;
  watchCommits(listener: (transactions: number) => void): void;
  close(): Promise<void>;
}

interface Generation {
  readers: number;
  /** Called when the last reader of a closed generation ends. */
  onEnd: (() => void) | undefined;
}

/**
 * A store over the two key spaces of an engine. It counts the reads in flight by generation, because a file
 * may be removed only when no snapshot can point to it: `readsEnded` closes a generation and waits for its
 * readers.
 */
export class SpaceStore implements Store {
  readonly ephemeral: EphemeralSpace;
  readonly #records: RecordSpace;
  #generation: Generation = { readers: 0, onEnd: undefined };
  #earlierEnded: Promise<void> = Promise.resolve();

  constructor(records: RecordSpace, ephemeral: EphemeralSpace) {
    this.#records = records;
    this.ephemeral = ephemeral;
  }

  read<T>(work: ReadWork<T>): Promise<T> {
    return this.#counted(this.#records.read(work));
  }

  view<T>(decide: (read: SyncReader) => T | AsyncRest<Reader, T>): MaybePromise<T> {
    const outcome = this.#records.readMaybeSync((read) => withRest(read, read.view(decide)));
    // A view without a promise has ended already.
    return outcome instanceof Promise ? this.#counted(outcome) : outcome;
  }

  async #counted<T>(outcome: Promise<T>): Promise<T> {
    const generation = this.#generation;
    generation.readers++;
    try {
      return await outcome;
    } finally {
      if (--generation.readers === 0) generation.onEnd?.();
    }
  }

  readsEnded(): Promise<void> {
    const closing = this.#generation;
    if (closing.readers === 0) return this.#earlierEnded;
    this.#generation = { readers: 0, onEnd: undefined };
    const ended = new Promise<void>((resolve) => {
      closing.onEnd = resolve;
    });
    this.#earlierEnded = Promise.all([this.#earlierEnded, ended]).then(() => {});
    return this.#earlierEnded;
  }

  write<T>(work: WriteWork<T>): Promise<T> {
    return this.#records.write(work);
  }

  update<T>(decide: (write: SyncWriter) => T | AsyncRest<Writer, T>): Promise<T> {
    return this.#records.write((write) => withRest(write, write.update(decide)));
  }

  commitAsync<T>(work: WriteWork<T>): Promise<AsyncCommit<T>> {
    return this.#records.commitAsync(work);
  }

  stats(): StoreStats {
    return this.#records.stats();
  }

  watchCommits(listener: (transactions: number) => void): void {
    this.#records.watchCommits(listener);
  }

  close(): Promise<void> {
    return this.#records.close();
  }
}
