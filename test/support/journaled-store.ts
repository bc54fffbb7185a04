import type { Key, MaybePromise, Store, Writer } from "../../src/store/kv.ts";
import { updateFetching, withRest } from "../../src/store/sync-transaction.ts";
import { alreadyDurable } from "../../src/store/unsynced-keys.ts";
import type { CrashDevice } from "./crash-device.ts";

interface Commit {
  /**
   * The operation before which it may already have been durable, and the one before which its caller knew.
   */
  readonly earliest: number;
  latest: number;
  readonly writes: Map<Key, Uint8Array | null>;
}

/**
 * A store that marks its commits in the journal of a crash device, so that a test can put the records and the
 * files of one moment side by side. A commit becomes durable at some time between the end of its transaction
 * and its answer; `recordsAfter` gives both extremes.
 */
export class JournaledStore {
  readonly #device: CrashDevice;
  readonly #commits: Commit[] = [];
  readonly store: Store;

  constructor(inner: Store, device: CrashDevice) {
    this.#device = device;
    this.store = {
      ephemeral: inner.ephemeral,
      read: (fn) => inner.read(fn),
      view: (decide) => inner.view(decide),
      write: (fn) => this.#write(inner, fn),
      update: (decide) => this.#write(inner, (write) => withRest(write, write.update(decide))),
      commitAsync: (fn) => alreadyDurable(this.#write(inner, fn)),
      readsEnded: () => inner.readsEnded(),
      stats: () => inner.stats(),
      watchCommits: (listener) => inner.watchCommits(listener),
      close: () => inner.close(),
    };
  }

  async #write<T>(inner: Store, fn: (write: Writer) => MaybePromise<T>): Promise<T> {
    const commit = { earliest: 0, latest: Number.POSITIVE_INFINITY, writes: new Map() };
    const result = await inner.write(async (write) => {
      commit.writes.clear();
      const value = await fn(recording(write, commit.writes));
      this.#commits.push({ ...commit, earliest: this.#device.journal.length });
      this.#device.note("commit");
      return value;
    });
    const made = this.#commits.findLast(({ writes }) => writes === commit.writes)!;
    made.latest = this.#device.journal.length;
    this.#device.note("acknowledged");
    return result;
  }

  /** What is in the store when the power went after `boundary` operations. */
  async recordsAfter(boundary: number, extreme: "eager" | "lazy", into: Store): Promise<void> {
    const durable = this.#commits.filter(
      ({ earliest, latest }) => (extreme === "eager" ? earliest : latest) < boundary,
    );
    await into.write(async (write) => {
      for (const { writes } of durable) {
        for (const [key, value] of writes) {
          if (value === null) write.delete(key);
          else write.put(key, value);
        }
      }
    });
  }
}

function recording(write: Writer, writes: Map<Key, Uint8Array | null>): Writer {
  const recorded: Writer = {
    get: (key) => write.get(key),
    getMany: (keys) => write.getMany(keys),
    range: (range) => write.range(range),
    take: (range, count) => write.take(range, count),
    now: () => write.now(),
    revision: (above) => write.revision(above),
    put: (key, value) => {
      writes.set(key, value);
      write.put(key, value);
    },
    delete: (key) => {
      writes.set(key, null);
      write.delete(key);
    },
    view: (decide) => write.view(decide),
    update: (decide) => updateFetching(recorded, decide),
  };
  return recorded;
}
