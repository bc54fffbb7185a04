import type { PendingWrites, Snapshot } from "../overlay.ts";
import { CachedSnapshot } from "../value-cache.ts";
import type { JournaledCommits } from "./journaled-commits.ts";
import { LayeredSnapshot } from "./journaled-writes.ts";
import type { Database, LmdbSnapshot } from "./lmdb.ts";

/** A committed state, and the number of its readers. */
export interface ReadState {
  readonly committed: Snapshot;
  readonly snapshot: LmdbSnapshot;
  /** Commits that are only in the journal. */
  readonly journaled: readonly PendingWrites[] | undefined;
  readers: number;
}

/** A state of the database with the commits that are only in the journal. */
export function withJournaled(
  snapshot: LmdbSnapshot,
  layers: readonly PendingWrites[] | undefined,
): Snapshot {
  return layers === undefined || layers.length === 0 ? snapshot : new LayeredSnapshot(layers, snapshot);
}

/**
 * The states that are being read. In a single process all reads between two commits share one state and its
 * cache, because beginning and ending a read transaction costs as much as a lookup. When processes share the
 * database, every read begins a state of its own.
 */
export class ReadStates {
  readonly #database: Pick<Database, "acquire" | "release">;
  readonly #journaled: Pick<JournaledCommits, "view"> | undefined;
  #newest: ReadState | undefined;

  constructor(
    database: Pick<Database, "acquire" | "release">,
    journaled: Pick<JournaledCommits, "view"> | undefined,
  ) {
    this.#database = database;
    this.#journaled = journaled;
  }

  /** The newest committed state. `end` releases it. */
  begin(): ReadState {
    // The same object until the next commit or checkpoint.
    const journaled = this.#journaled?.view();
    let state = this.#newest;
    if (state === undefined || state.journaled !== journaled) state = this.#renew(journaled);
    state.readers++;
    return state;
  }

  #renew(journaled: readonly PendingWrites[] | undefined): ReadState {
    const snapshot = this.#database.acquire();
    const plain = withJournaled(snapshot, journaled);
    if (journaled === undefined) return { committed: plain, snapshot, journaled, readers: 0 };
    this.releaseNewest();
    this.#newest = { committed: new CachedSnapshot(plain), snapshot, journaled, readers: 0 };
    return this.#newest;
  }

  end(state: ReadState): void {
    state.readers--;
    if (state.readers === 0 && state !== this.#newest) this.#database.release(state.snapshot);
  }

  /** The database has a newer state: an idle older one would keep its pages from being reused. */
  releaseNewest(): void {
    const former = this.#newest;
    this.#newest = undefined;
    if (former?.readers === 0) this.#database.release(former.snapshot);
  }
}
