import type {
  AsyncCommit,
  AsyncRest,
  EphemeralSpace,
  MaybePromise,
  Reader,
  Store,
  StoreStats,
  SyncReader,
  SyncWriter,
  Writer,
} from "../../store/kv.ts";

interface Generation {
  readers: number;
  /** Set when the generation is over: called when its last reader ends. */
  ended: (() => void) | undefined;
}

/**
 * A store that knows which of its reads are still going on. A file may be removed only when nobody can hold a
 * snapshot that still points into it, and between the start of a read and its call of `open` nobody but the
 * store knows about that reader. Reads are counted by generation; asking closes one and waits for it to drain.
 */
export class WatchedStore implements Store {
  readonly #inner: Store;
  #generation: Generation = { readers: 0, ended: undefined };
  #drained: Promise<void> = Promise.resolve();

  constructor(inner: Store) {
    this.#inner = inner;
  }

  get ephemeral(): EphemeralSpace {
    return this.#inner.ephemeral;
  }

  read<T>(fn: (read: Reader) => MaybePromise<T>): Promise<T> {
    return this.#counted(this.#inner.read(fn));
  }

  view<T>(decide: (read: SyncReader) => T | AsyncRest<Reader, T>): MaybePromise<T> {
    const outcome = this.#inner.view(decide);
    // A view without a promise has ended: no reader is left to count.
    return outcome instanceof Promise ? this.#counted(outcome) : outcome;
  }

  async #counted<T>(outcome: Promise<T>): Promise<T> {
    const generation = this.#generation;
    generation.readers++;
    try {
      return await outcome;
    } finally {
      generation.readers--;
      if (generation.readers === 0) generation.ended?.();
    }
  }

  /** Resolves when every read that had begun before this call has ended. */
  readsEnded(): Promise<void> {
    const closing = this.#generation;
    if (closing.readers === 0) return this.#drained;
    this.#generation = { readers: 0, ended: undefined };
    const ended = new Promise<void>((resolve) => {
      closing.ended = resolve;
    });
    this.#drained = Promise.all([this.#drained, ended]).then(() => {});
    return this.#drained;
  }

  write<T>(fn: (write: Writer) => MaybePromise<T>): Promise<T> {
    return this.#inner.write(fn);
  }

  update<T>(decide: (write: SyncWriter) => T | AsyncRest<Writer, T>): Promise<T> {
    return this.#inner.update(decide);
  }

  commitAsync<T>(fn: (write: Writer) => MaybePromise<T>): Promise<AsyncCommit<T>> {
    return this.#inner.commitAsync(fn);
  }

  stats(): StoreStats {
    return this.#inner.stats();
  }

  watchCommits(listener: (transactions: number) => void): void {
    this.#inner.watchCommits(listener);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
