import { dirname, join } from "node:path";
import { assert } from "../../base/assert.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import { isOutOfSpace, OutOfSpace, StorageFault } from "../../base/faults.ts";
import { bytesLeft, FreeSpace } from "../../base/free-space.ts";
import { LIMITS, TIB } from "../../base/limits.ts";
import { makeDirectory } from "../../base/make-directory.ts";
import { finallyDo } from "../../base/maybe-promise.ts";
import { type Log, silentLog } from "../../observability/log.ts";
import type { AsyncCommit, Key, KeySpace, MaybePromise, ReadWork, StoreStats, WriteWork } from "../kv.ts";
import { LongKeyReader } from "../long-keys.ts";
import type { Snapshot } from "../overlay.ts";
import { OwnedSpace } from "../owned-space.ts";
import { type CommitTarget, REVISION_KEY, SerialWriter, type WriteLock } from "../serial-writer.ts";
import { SnapshotReader } from "../snapshot-reader.ts";
import { type RecordSpace, SpaceStore } from "../space-store.ts";
import { alreadyDurable, NotYetDurable, type UnsyncedKeys, WatchedSnapshot } from "../unsynced-keys.ts";
import { addChecksums } from "./add-checksums.ts";
import { checkDatabaseFile } from "./check-file.ts";
import { JOURNAL_STEP_BYTES, recordsAfter, removeJournal } from "./journal.ts";
import { JOURNAL_KEY, unpackMark } from "./journal-mark.ts";
import { COMMIT_KEY, JournaledCommits, markWrite, packCommit, unpackCommit } from "./journaled-commits.ts";
import { Database, type LmdbSnapshot, type WriteSet } from "./lmdb.ts";
import { ReadStates, withJournaled } from "./read-states.ts";

export interface EmbeddedOptions {
  readonly directory: string;
  readonly clock?: Clock;
  readonly log?: Log;
  /** Names this process among those that share the directory. */
  readonly owner: string;
  /** When other processes share the directory. Acquired before the constructor: see `withWriteLocks`. */
  readonly writeLocks?: { readonly records: WriteLock; readonly ephemeral: WriteLock };
  /** The ephemeral key space of a single process; without it, a file that processes can share. */
  readonly ephemeral?: KeySpace & { close(): Promise<void> };
  /** A sync failed: the state on disk is unknown, so the process must stop without answering. */
  readonly onFatal: (error: unknown) => void;
}

interface EmbeddedSpaceOptions {
  readonly path: string;
  readonly isDurable: boolean;
  readonly clock: Clock;
  readonly writeLock: WriteLock | undefined;
  readonly log: Log;
  readonly onFatal: (error: unknown) => void;
}

/** One LMDB file as a key space. */
class EmbeddedSpace implements RecordSpace {
  readonly #database: Database;
  readonly #path: string;
  readonly #directory: string;
  readonly #freeSpace: FreeSpace;
  readonly #isDurable: boolean;
  readonly #clock: Clock;
  readonly #writer: SerialWriter;
  readonly #onFatal: (error: unknown) => void;
  /** Only for a single process: others would not see commits that are only in the journal. */
  readonly #journaled: JournaledCommits | undefined;
  #isFailed = false;
  readonly #states: ReadStates;
  #writerSnapshot: LmdbSnapshot | undefined;
  #reads = 0;
  #onLastRead: () => void = () => {};
  #closing: Promise<void> | undefined;

  constructor({ path, isDurable, clock, writeLock, log, onFatal }: EmbeddedSpaceOptions) {
    this.#database = new Database({ path, isDurable, mapBytes: TIB });
    this.#path = path;
    this.#directory = dirname(path);
    this.#freeSpace = new FreeSpace(this.#directory);
    this.#clock = clock;
    this.#onFatal = onFatal;
    const target: CommitTarget = {
      refresh: () => this.#refreshOrFail(),
      takeOver: () => {
        this.#database.recover();
        return this.#refresh();
      },
      releaseSnapshot: () => this.#releaseSnapshot(),
      isEager: !isDurable,
      commit: (writes) => this.#commit(writes),
    };
    this.#isDurable = isDurable;
    try {
      if (isDurable) this.#journaled = this.#openJournal(writeLock === undefined, log);
    } catch (error) {
      void this.#database.close();
      throw error;
    }
    this.#states = new ReadStates(this.#database, this.#journaled);
    this.#writer = new SerialWriter(target, clock, writeLock);
  }

  /** A process that shares the database first applies the journal that a single process has left. */
  #openJournal(isAlone: boolean, log: Log): JournaledCommits | undefined {
    this.#database.recover();
    addChecksums(this.#database, this.#path, (writes) => this.#commitAtStart(writes));
    const newest = this.#database.acquire();
    const applied = unpackCommit(newest.get(COMMIT_KEY));
    const mark = unpackMark(newest.get(JOURNAL_KEY));
    // A damaged one is refused here: the first write needs it, and could only stop the process.
    newest.get(REVISION_KEY);
    this.#database.release(newest);
    const state = { directory: this.#directory, applied, mark, log };
    if (isAlone) {
      return new JournaledCommits({
        ...state,
        checkpoint: (writes) => this.#commitToDatabase(writes),
        onFatal: (error) => this.#fail(error),
      });
    }
    for (const { commit, writes } of recordsAfter(state)) {
      this.#commitAtStart(new Map([...writes, [COMMIT_KEY, packCommit(commit)]]));
    }
    if (mark?.isDirty === true) this.#commitAtStart(markWrite({ ...mark, isDirty: false }));
    removeJournal(this.#directory);
    return undefined;
  }

  #commitAtStart(writes: WriteSet): void {
    if (!hasSpace(this.#freeSpace, spaceFor(writes)))
      throw new OutOfSpace("no space left for the records of an earlier run");
    this.#database.commitNow(writes);
  }

  #refresh(): Snapshot {
    if (this.#writerSnapshot === undefined) this.#writerSnapshot = this.#database.acquire();
    else {
      this.#writerSnapshot.reset();
      this.#writerSnapshot.renew();
    }
    return withJournaled(this.#writerSnapshot, this.#journaled?.view());
  }

  /** A database whose checkpoint failed cannot be read. The checkpoint reports its error first. */
  #refreshOrFail(): MaybePromise<Snapshot> {
    try {
      return this.#refresh();
    } catch (error) {
      return (this.#journaled?.checkpointed() ?? Promise.resolve()).then(() => this.#fail(error));
    }
  }

  #releaseSnapshot(): void {
    if (this.#writerSnapshot !== undefined) this.#database.release(this.#writerSnapshot);
    this.#writerSnapshot = undefined;
  }

  async #commit(writes: ReadonlyMap<Key, Buffer | null>): Promise<void> {
    if (this.#journaled === undefined) return this.#commitToDatabase(writes);
    if (!hasSpace(this.#freeSpace, () => spaceFor(writes)() + spaceAfter(this.#journaled!)))
      throw new OutOfSpace(NO_SPACE);
    await this.#journaled.commit(writes);
    // The process is stopping and must not answer any more.
    if (this.#isFailed) await new Promise(() => {});
  }

  async #commitToDatabase(writes: WriteSet): Promise<void> {
    if (!hasSpace(this.#freeSpace, spaceFor(writes))) throw new OutOfSpace(NO_SPACE);
    try {
      if (this.#isDurable) await this.#database.commit(writes);
      else this.#database.commitNow(writes);
      this.#states.releaseNewest();
    } catch (error) {
      if (this.#database.isSound() && isFull(error, this.#directory)) throw new OutOfSpace(NO_SPACE, error);
      await this.#fail(error);
    }
  }

  async #fail(error: unknown): Promise<never> {
    // The journal and the database can fail on the same disk: only the first error is reported.
    if (!this.#isFailed) {
      this.#isFailed = true;
      this.#onFatal(error);
    }
    // The process is stopping and must not answer any more.
    return new Promise(() => {});
  }

  async read<T>(work: ReadWork<T>): Promise<T> {
    return this.readMaybeSync(work);
  }

  readMaybeSync<T>(work: ReadWork<T>): MaybePromise<T> {
    const unsynced = this.#writer.unsynced();
    return unsynced.length === 0 ? this.#readState(work) : this.#readSynced(work, unsynced);
  }

  async #readSynced<T>(work: ReadWork<T>, unsynced: readonly UnsyncedKeys[]): Promise<T> {
    try {
      return await this.#readState(work, unsynced);
    } catch (error) {
      if (!(error instanceof NotYetDurable)) throw error;
    }
    await Promise.all(unsynced.map((keys) => keys.ended()));
    return this.#readState(work);
  }

  #readState<T>(work: ReadWork<T>, unsynced?: readonly UnsyncedKeys[]): MaybePromise<T> {
    if (this.#closing !== undefined) throw new StorageFault("the store is closed");
    const state = this.#states.begin();
    const seen = unsynced === undefined ? state.committed : new WatchedSnapshot(state.committed, unsynced);
    const reader = new LongKeyReader(new SnapshotReader(seen, this.#clock));
    this.#reads++;
    const end = (): void => {
      reader.end();
      this.#states.end(state);
      if (--this.#reads === 0) this.#onLastRead();
    };
    return finallyDo(() => work(reader), end);
  }

  write<T>(work: WriteWork<T>): Promise<T> {
    return this.#writer.write(work);
  }

  /** Waits for the sync when processes share the database: readers in the others cannot see unsynced keys. */
  commitAsync<T>(work: WriteWork<T>): Promise<AsyncCommit<T>> {
    return this.#journaled === undefined ? alreadyDurable(this.write(work)) : this.#writer.commitAsync(work);
  }

  stats(): StoreStats {
    return this.#writer.stats();
  }

  watchCommits(listener: (transactions: number) => void): void {
    this.#writer.watchCommits(listener);
  }

  forgetDeadReaders(): void {
    this.#database.forgetDeadReaders();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#writer.close();
    await this.#journaled?.close();
    // A reader whose snapshot is closed would read freed memory.
    if (this.#reads > 0) {
      await new Promise<void>((resolve) => {
        this.#onLastRead = resolve;
      });
    }
    this.#states.releaseNewest();
    await this.#database.close();
  }
}

const EIO = 5;
const ENOSPC = 28;
const EDQUOT = 122;
const MAP_FULL = -30_792;

const NO_SPACE = "no space left for records";
const PAGE_BYTES = 4_096;
/** A write may copy its leaf page, and its share of the pages above. */
const PAGES_PER_WRITE = 2;

/**
 * Whether a commit fits, with a reserve. When a page does not fit, the `lmdb` package prints a message into a
 * buffer that is too short, and the process dies or continues with a corrupt heap.
 */
function hasSpace(freeSpace: FreeSpace, needed: () => number): boolean {
  const left = freeSpace.left() - LIMITS.recordsReserveBytes;
  // The common case: no batch is this large.
  return left > 8 * LIMITS.batchBytesMax || left > needed();
}

/** For pending checkpoints and the growth of the journal. */
function spaceAfter({ pending }: JournaledCommits): number {
  return pending.count * PAGES_PER_WRITE * PAGE_BYTES + pending.bytes + JOURNAL_STEP_BYTES;
}

const spaceFor = (writes: WriteSet) => (): number => {
  let bytes = 0;
  writes.forEach((value) => {
    bytes += PAGES_PER_WRITE * PAGE_BYTES + (value?.length ?? 0);
  });
  return bytes;
};

/**
 * Whether a commit failed for lack of space, in which case LMDB has undone it. LMDB reports a short write as
 * EIO, as it does a failed sync: the free space of the disk distinguishes the two.
 */
function isFull(error: unknown, directory: string): boolean {
  const { code } = error as { code?: unknown };
  if (isOutOfSpace(error) || code === ENOSPC || code === EDQUOT || code === MAP_FULL) return true;
  if (code !== EIO) return false;
  return bytesLeft(directory) < LIMITS.fullDiskBytesMax;
}

export class EmbeddedStore extends SpaceStore {
  readonly #records: EmbeddedSpace;
  readonly #ephemeralSpace: KeySpace & { close(): Promise<void>; forgetDeadReaders?(): void };

  constructor(options: EmbeddedOptions) {
    const {
      directory,
      clock = systemClock,
      log = silentLog,
      owner,
      writeLocks,
      ephemeral,
      onFatal,
    } = options;
    const mayOpen =
      writeLocks === undefined || (writeLocks.records.isAcquired() && writeLocks.ephemeral.isAcquired());
    assert(mayOpen, "a process holds both write locks while it opens a shared store");
    assert(ephemeral === undefined || writeLocks === undefined, "memory is not shared between processes");
    makeDirectory(directory);
    checkDatabaseFile(join(directory, "records.mdb"));
    const open = (name: string, isDurable: boolean, writeLock: WriteLock | undefined): EmbeddedSpace =>
      new EmbeddedSpace({ path: join(directory, name), isDurable, clock, writeLock, log, onFatal });
    const records = open("records.mdb", true, writeLocks?.records);
    const ephemeralSpace = ephemeral ?? open("ephemeral.mdb", false, writeLocks?.ephemeral);
    super(records, new OwnedSpace(ephemeralSpace, owner));
    this.#records = records;
    this.#ephemeralSpace = ephemeralSpace;
  }

  /** Frees the reader slots of a process that died. */
  forgetDeadReaders(): void {
    this.#records.forgetDeadReaders();
    this.#ephemeralSpace.forgetDeadReaders?.();
  }

  override async close(): Promise<void> {
    await Promise.all([super.close(), this.#ephemeralSpace.close()]);
  }
}
