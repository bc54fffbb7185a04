import { dirname, join } from "node:path";
import { assert } from "../../base/assert.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import { isOutOfSpace, OutOfSpace, StorageFault } from "../../base/faults.ts";
import { bytesLeft, FreeSpace } from "../../base/free-space.ts";
import { LIMITS, TIB } from "../../base/limits.ts";
import { makeDirectory } from "../../base/make-directory.ts";
import { finallyDo } from "../../base/maybe-promise.ts";
import { alreadyDurable, NotYetDurable, type UnsyncedKeys, WatchedSnapshot } from "../ahead.ts";
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
import type { Snapshot } from "../overlay.ts";
import { OwnedSpace } from "../owned-space.ts";
import { type CommitTarget, SerialWriter, type WriteLock } from "../serial-writer.ts";
import { SnapshotReader } from "../snapshot-reader.ts";
import { withRest } from "../sync-transaction.ts";
import { checkDatabaseFile } from "./check-file.ts";
import { JOURNAL_STEP_BYTES, recordsAfter, removeJournal } from "./journal.ts";
import { COMMIT_KEY, JournaledCommits, packCommit, unpackCommit } from "./journaled-commits.ts";
import { Database, type LmdbSnapshot, type WriteSet } from "./lmdb.ts";
import { ReadStates, withJournaled } from "./read-states.ts";

export interface EmbeddedOptions {
  readonly directory: string;
  readonly clock?: Clock;
  /** Names this process among those that share the directory. */
  readonly owner: string;
  /** The turns to write, when other processes share the directory. Both are held while it opens: see `inTurn`. */
  readonly turns?: { readonly records: WriteLock; readonly ephemeral: WriteLock };
  /** The ephemeral key space of a process that is alone; without it, a file that processes can share. */
  readonly ephemeral?: KeySpace & { close(): Promise<void> };
  /** A sync failed: what is on disk can no longer be told, so the process must stop and not answer. */
  readonly onFatal: (error: unknown) => void;
}

/** One LMDB file as a key space. */
class EmbeddedSpace implements KeySpace {
  readonly #database: Database;
  readonly #directory: string;
  readonly #freeSpace: FreeSpace;
  readonly #isDurable: boolean;
  readonly #clock: Clock;
  readonly #writer: SerialWriter;
  readonly #onFatal: (error: unknown) => void;
  /** Only where nobody else reads the database: others would not see what is in the journal alone. */
  readonly #journaled: JournaledCommits | undefined;
  #isFailed = false;
  readonly #states: ReadStates;
  #writerSnapshot: LmdbSnapshot | undefined;
  #reads = 0;
  #onLastRead: () => void = () => {};
  #closing: Promise<void> | undefined;

  constructor(
    { path, isDurable }: { path: string; isDurable: boolean },
    clock: Clock,
    turn: WriteLock | undefined,
    onFatal: (error: unknown) => void,
  ) {
    this.#database = new Database({ path, isDurable, mapBytes: TIB });
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
      rest: () => this.#rest(),
      isEager: !isDurable,
      commit: (writes) => this.#commit(writes),
    };
    this.#isDurable = isDurable;
    if (isDurable) this.#journaled = this.#openJournal(turn === undefined);
    this.#states = new ReadStates(this.#database, this.#journaled);
    this.#writer = new SerialWriter(target, clock, turn);
  }

  /** Whoever shares the database brings into it what somebody who was alone has left in the journal. */
  #openJournal(isAlone: boolean): JournaledCommits | undefined {
    this.#database.recover();
    const present = this.#database.acquire();
    const applied = unpackCommit(present.get(COMMIT_KEY));
    this.#database.release(present);
    const directory = this.#directory;
    if (isAlone) {
      return new JournaledCommits({
        directory,
        applied,
        checkpoint: (writes) => this.#commitToDatabase(writes),
        onFatal: (error) => this.#fail(error),
      });
    }
    for (const { commit, writes } of recordsAfter(directory, applied)) {
      if (!hasSpace(this.#freeSpace, spaceFor(writes)))
        throw new OutOfSpace("no space left to bring in the journal");
      this.#database.commitNow(new Map([...writes, [COMMIT_KEY, packCommit(commit)]]));
    }
    removeJournal(directory);
    return undefined;
  }

  #refresh(): Snapshot {
    if (this.#writerSnapshot === undefined) this.#writerSnapshot = this.#database.acquire();
    else {
      this.#writerSnapshot.reset();
      this.#writerSnapshot.renew();
    }
    return withJournaled(this.#writerSnapshot, this.#journaled?.view());
  }

  /** A database that has failed behind the journal cannot be read any more. What it met is told when that is known. */
  #refreshOrFail(): MaybePromise<Snapshot> {
    try {
      return this.#refresh();
    } catch (error) {
      return (this.#journaled?.checkpointed() ?? Promise.resolve()).then(() => this.#fail(error));
    }
  }

  #rest(): void {
    if (this.#writerSnapshot !== undefined) this.#database.release(this.#writerSnapshot);
    this.#writerSnapshot = undefined;
  }

  async #commit(writes: ReadonlyMap<Key, Buffer | null>): Promise<void> {
    if (this.#journaled === undefined) return this.#commitToDatabase(writes);
    if (!hasSpace(this.#freeSpace, () => spaceFor(writes)() + spaceAfter(this.#journaled!)))
      throw new OutOfSpace(NO_SPACE);
    await this.#journaled.commit(writes);
    // The process is on its way down. Nobody may hear an answer any more.
    if (this.#isFailed) await new Promise(() => {});
  }

  async #commitToDatabase(writes: WriteSet): Promise<void> {
    if (!hasSpace(this.#freeSpace, spaceFor(writes))) throw new OutOfSpace(NO_SPACE);
    try {
      if (this.#isDurable) await this.#database.commit(writes);
      else this.#database.commitNow(writes);
      this.#states.leave();
    } catch (error) {
      if (this.#database.isSound() && isFull(error, this.#directory)) throw new OutOfSpace(NO_SPACE, error);
      await this.#fail(error);
    }
  }

  async #fail(error: unknown): Promise<never> {
    // The journal and the database behind it can meet the same failing disk: the first failure says what it was.
    if (!this.#isFailed) {
      this.#isFailed = true;
      this.#onFatal(error);
    }
    // The process is on its way down. Nobody may hear an answer it could not keep.
    return new Promise(() => {});
  }

  async read<T>(fn: (read: Reader) => MaybePromise<T>): Promise<T> {
    return this.readMaybeSync(fn);
  }

  readMaybeSync<T>(fn: (read: Reader) => MaybePromise<T>): MaybePromise<T> {
    const unsynced = this.#writer.unsynced();
    return unsynced.length === 0 ? this.#readState(fn) : this.#readBehind(fn, unsynced);
  }

  async #readBehind<T>(fn: (read: Reader) => MaybePromise<T>, unsynced: readonly UnsyncedKeys[]): Promise<T> {
    try {
      return await this.#readState(fn, unsynced);
    } catch (error) {
      if (!(error instanceof NotYetDurable)) throw error;
    }
    await Promise.all(unsynced.map((keys) => keys.ended()));
    return this.#readState(fn);
  }

  #readState<T>(fn: (read: Reader) => MaybePromise<T>, unsynced?: readonly UnsyncedKeys[]): MaybePromise<T> {
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
    return finallyDo(() => fn(reader), end);
  }

  write<T>(fn: (write: Writer) => MaybePromise<T>): Promise<T> {
    return this.#writer.write(fn);
  }

  /** Readers of other processes could not be told what they miss. */
  commitAsync<T>(fn: (write: Writer) => MaybePromise<T>): Promise<AsyncCommit<T>> {
    return this.#journaled === undefined ? alreadyDurable(this.write(fn)) : this.#writer.commitAsync(fn);
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
    // A snapshot that is taken away under a reader would be read from freed memory.
    if (this.#reads > 0) {
      await new Promise<void>((resolve) => {
        this.#onLastRead = resolve;
      });
    }
    this.#states.leave();
    await this.#database.close();
  }
}

const EIO = 5;
const ENOSPC = 28;
const EDQUOT = 122;
const MAP_FULL = -30_792;

const NO_SPACE = "no space left for records";
const PAGE_BYTES = 4_096;
/** Each write may copy the page it lies on, and its share of those above. */
const PAGES_PER_WRITE = 2;

/**
 * Whether there is room for a commit, and some to spare. When a page does not fit, the `lmdb` package prints a
 * message into a buffer that is too short for it, and the process dies, or goes on with a damaged heap.
 */
function hasSpace(freeSpace: FreeSpace, needed: () => number): boolean {
  const left = freeSpace.left() - LIMITS.recordsReserveBytes;
  // Nearly always: no batch is as large as this.
  return left > 8 * LIMITS.batchBytesMax || left > needed();
}

/** For what is still to come into the database, and for the journal to grow. */
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
 * Whether a commit failed for lack of room, in which case LMDB has undone it. When the disk takes only a part of
 * a write, LMDB says EIO, as it does after a failed sync: only the disk can tell the two apart.
 */
function isFull(error: unknown, directory: string): boolean {
  const { code } = error as { code?: unknown };
  if (isOutOfSpace(error) || code === ENOSPC || code === EDQUOT || code === MAP_FULL) return true;
  if (code !== EIO) return false;
  return bytesLeft(directory) < LIMITS.fullDiskBytesMax;
}

export class EmbeddedStore implements Store {
  readonly ephemeral: EphemeralSpace;
  readonly #records: EmbeddedSpace;
  readonly #ephemeralSpace: KeySpace & { close(): Promise<void>; forgetDeadReaders?(): void };

  constructor({ directory, clock = systemClock, owner, turns, ephemeral, onFatal }: EmbeddedOptions) {
    const isAlone = turns === undefined || (turns.records.isHeld() && turns.ephemeral.isHeld());
    assert(isAlone, "a shared store is opened by who holds its turns");
    makeDirectory(directory);
    checkDatabaseFile(join(directory, "records.mdb"));
    const open = (name: string, isDurable: boolean, turn: WriteLock | undefined): EmbeddedSpace =>
      new EmbeddedSpace({ path: join(directory, name), isDurable }, clock, turn, onFatal);
    this.#records = open("records.mdb", true, turns?.records);
    assert(ephemeral === undefined || turns === undefined, "memory is not shared between processes");
    this.#ephemeralSpace = ephemeral ?? open("ephemeral.mdb", false, turns?.ephemeral);
    this.ephemeral = new OwnedSpace(this.#ephemeralSpace, owner);
  }

  read<T>(fn: (read: Reader) => MaybePromise<T>): Promise<T> {
    return this.#records.read(fn);
  }

  view<T>(decide: (read: SyncReader) => T | AsyncRest<Reader, T>): MaybePromise<T> {
    return this.#records.readMaybeSync((read) => withRest(read, read.view(decide)));
  }

  write<T>(fn: (write: Writer) => MaybePromise<T>): Promise<T> {
    return this.#records.write(fn);
  }

  update<T>(decide: (write: SyncWriter) => T | AsyncRest<Writer, T>): Promise<T> {
    return this.#records.write((write) => withRest(write, write.update(decide)));
  }

  commitAsync<T>(fn: (write: Writer) => MaybePromise<T>): Promise<AsyncCommit<T>> {
    return this.#records.commitAsync(fn);
  }

  stats(): StoreStats {
    return this.#records.stats();
  }

  watchCommits(listener: (transactions: number) => void): void {
    this.#records.watchCommits(listener);
  }

  /** After another process died. */
  forgetDeadReaders(): void {
    this.#records.forgetDeadReaders();
    this.#ephemeralSpace.forgetDeadReaders?.();
  }

  async close(): Promise<void> {
    await Promise.all([this.#records.close(), this.#ephemeralSpace.close()]);
  }
}
