import { CachedSnapshot } from "../known-values.ts";
import type { PendingWrites, Snapshot } from "../overlay.ts";
import type { JournaledCommits } from "./journaled-commits.ts";
import { LayeredSnapshot } from "./journaled-writes.ts";
import type { Database, LmdbSnapshot } from "./lmdb.ts";

/** A committed state, and how many are reading it. */
export interface ReadState {
  readonly committed: Snapshot;
  readonly snapshot: LmdbSnapshot;
  /** What it holds beyond the database. */
  readonly journaled: readonly PendingWrites[] | undefined;
  readers: number;
}

/** What is in the database and what was committed after it. */
export function withJournaled(
  snapshot: LmdbSnapshot,
  layers: readonly PendingWrites[] | undefined,
): Snapshot {
  return layers === undefined || layers.length === 0 ? snapshot : new LayeredSnapshot(layers, snapshot);
}

/**
 * The states that are being read. Where nobody else writes, the newest one stays the newest until something is
 * committed here, and then all who read meanwhile share it: beginning and ending a read of the database costs as much as
 * a look into it, and what one of them has looked up others look up as well. Where others write, every read begins anew.
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

  /** The newest committed state. Each of these calls is followed by one of `end`. */
  begin(): ReadState {
    // The same object for as long as nothing is committed, nor moves from the journal into the database.
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
    this.leave();
    this.#newest = { committed: new CachedSnapshot(plain), snapshot, journaled, readers: 0 };
    return this.#newest;
  }

  end(state: ReadState): void {
    state.readers--;
    if (state.readers === 0 && state !== this.#newest) this.#database.release(state.snapshot);
  }

  /** The database has a newer state: one that is kept for reads to come would keep its pages from being used again. */
  leave(): void {
    const left = this.#newest;
    this.#newest = undefined;
    if (left?.readers === 0) this.#database.release(left.snapshot);
  }
}
