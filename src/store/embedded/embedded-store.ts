import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { assert } from "../../base/assert.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import { isOutOfSpace, OutOfSpace, StorageFault } from "../../base/faults.ts";
import { LIMITS, TIB } from "../../base/limits.ts";
import { bytesLeft, Room } from "../../base/room.ts";
import type { EphemeralSpace, Key, KeySpace, Reader, Soon, Store, StoreFigures, Writer } from "../kv.ts";
import { LongKeyReader } from "../long-keys.ts";
import { OwnedSpace } from "../owned-space.ts";
import { type CommitTarget, SerialWriter, type WriteTurn } from "../serial-writer.ts";
import { SnapshotReader } from "../snapshot-reader.ts";
import { checkDatabaseFile } from "./check-file.ts";
import { Database, type LmdbSnapshot } from "./lmdb.ts";

export interface EmbeddedOptions {
  readonly directory: string;
  readonly clock?: Clock;
  /** Names this process among those that share the directory. */
  readonly owner: string;
  /** The turns to write, when other processes share the directory. Both are held while it opens: see `inTurn`. */
  readonly turns?: { readonly records: WriteTurn; readonly ephemeral: WriteTurn };
  /** The ephemeral key space of a process that is alone; without it, a file that processes can share. */
  readonly ephemeral?: KeySpace & { close(): Promise<void> };
  /** A sync failed: what is on disk can no longer be told, so the process must stop and not answer. */
  readonly onFatal: (error: unknown) => void;
}

/** One LMDB file as a key space. */
class EmbeddedSpace implements KeySpace {
  readonly #database: Database;
  readonly #directory: string;
  readonly #room: Room;
  readonly #isDurable: boolean;
  readonly #clock: Clock;
  readonly #writer: SerialWriter;
  readonly #onFatal: (error: unknown) => void;
  #writerSnapshot: LmdbSnapshot | undefined;
  #reads = 0;
  #onLastRead: () => void = () => {};
  #closing: Promise<void> | undefined;

  constructor(
    { path, isDurable }: { path: string; isDurable: boolean },
    clock: Clock,
    turn: WriteTurn | undefined,
    onFatal: (error: unknown) => void,
  ) {
    this.#database = new Database({ path, isDurable, mapBytes: TIB });
    this.#directory = dirname(path);
    this.#room = new Room(this.#directory);
    this.#clock = clock;
    this.#onFatal = onFatal;
    const target: CommitTarget = {
      refresh: () => this.#refresh(),
      takeOver: () => {
        this.#database.recover();
        return this.#refresh();
      },
      rest: () => this.#rest(),
      isEager: !isDurable,
      commit: (writes) => this.#commit(writes),
    };
    this.#isDurable = isDurable;
    this.#writer = new SerialWriter(target, clock, turn);
  }

  #refresh(): LmdbSnapshot {
    if (this.#writerSnapshot === undefined) this.#writerSnapshot = this.#database.acquire();
    else {
      this.#writerSnapshot.reset();
      this.#writerSnapshot.renew();
    }
    return this.#writerSnapshot;
  }

  #rest(): void {
    if (this.#writerSnapshot !== undefined) this.#database.release(this.#writerSnapshot);
    this.#writerSnapshot = undefined;
  }

  async #commit(writes: ReadonlyMap<Key, Buffer | null>): Promise<void> {
    if (!hasRoom(this.#room, writes)) {
      throw new OutOfSpace("no space left for records");
    }
    try {
      if (this.#isDurable) await this.#database.commit(writes);
      else this.#database.commitNow(writes);
    } catch (error) {
      if (this.#database.isSound() && isFull(error, this.#directory)) {
        throw new OutOfSpace("no space left for records", error);
      }
      this.#onFatal(error);
      // The process is on its way down. Nobody may hear an answer it could not keep.
      await new Promise(() => {});
    }
  }

  async read<T>(fn: (read: Reader) => Soon<T>): Promise<T> {
    if (this.#closing !== undefined) throw new StorageFault("the store is closed");
    const snapshot = this.#database.acquire();
    const reader = new LongKeyReader(new SnapshotReader(snapshot, this.#clock));
    this.#reads++;
    try {
      return await fn(reader);
    } finally {
      reader.end();
      this.#database.release(snapshot);
      if (--this.#reads === 0) this.#onLastRead();
    }
  }

  write<T>(fn: (write: Writer) => Soon<T>): Promise<T> {
    return this.#writer.write(fn);
  }

  figures(): StoreFigures {
    return this.#writer.figures();
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
    // A snapshot that is taken away under a reader would be read from freed memory.
    if (this.#reads > 0) {
      await new Promise<void>((resolve) => {
        this.#onLastRead = resolve;
      });
    }
    await this.#database.close();
  }
}

const EIO = 5;
const ENOSPC = 28;
const EDQUOT = 122;
const MAP_FULL = -30_792;

const PAGE_BYTES = 4_096;
/** Each write may copy the page it lies on, and its share of those above. */
const PAGES_PER_WRITE = 2;

/**
 * Whether there is room for a commit, and some to spare. When a page does not fit, the `lmdb` package prints a
 * message into a buffer that is too short for it, and the process dies, or goes on with a damaged heap.
 */
function hasRoom(room: Room, writes: ReadonlyMap<Key, Buffer | null>): boolean {
  let left = room.left() - LIMITS.recordsRoomBytes;
  // Nearly always: no batch is as large as this.
  if (left > 8 * LIMITS.batchBytesMax) return true;
  for (const value of writes.values()) left -= PAGES_PER_WRITE * PAGE_BYTES + (value?.length ?? 0);
  return left > 0;
}

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
    mkdirSync(directory, { recursive: true });
    checkDatabaseFile(join(directory, "records.mdb"));
    const open = (name: string, isDurable: boolean, turn: WriteTurn | undefined): EmbeddedSpace =>
      new EmbeddedSpace({ path: join(directory, name), isDurable }, clock, turn, onFatal);
    this.#records = open("records.mdb", true, turns?.records);
    assert(ephemeral === undefined || turns === undefined, "memory is not shared between processes");
    this.#ephemeralSpace = ephemeral ?? open("ephemeral.mdb", false, turns?.ephemeral);
    this.ephemeral = new OwnedSpace(this.#ephemeralSpace, owner);
  }

  read<T>(fn: (read: Reader) => Soon<T>): Promise<T> {
    return this.#records.read(fn);
  }

  write<T>(fn: (write: Writer) => Soon<T>): Promise<T> {
    return this.#records.write(fn);
  }

  figures(): StoreFigures {
    return this.#records.figures();
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
