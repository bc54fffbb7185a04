import { existsSync, linkSync, unlinkSync, writeFileSync } from "node:fs";
import * as lmdb from "lmdb";
import { assert } from "../../base/assert.ts";
import { allocatePage, copyPage } from "../../base/bytes.ts";
import { errorCode, StorageFault } from "../../base/faults.ts";
import { OWNER_FILE_MODE } from "../../base/file-modes.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Entry, Key, Range } from "../kv.ts";
import type { Snapshot } from "../overlay.ts";

/**
 * LMDB as this engine needs it: raw bytes, keys as binary strings, and read transactions held by hand.
 *
 * The `lmdb` package renews one shared read transaction per turn of the event loop and schedules its reset with
 * a timer, which costs more than the read itself and would answer a request from a snapshot older than the
 * request. So each snapshot here owns a read transaction of its own: renew (0.2 us) when its reads begin, reset
 * when they end. The package exports what that needs, but does not describe it in its types: the few names are
 * declared below, and the contract suite would notice if one changed its meaning.
 */
interface NativeTransaction {
  readonly address: number;
  refCount: number;
  renew(): void;
  abort(): void;
}

interface NativeCursor {
  readonly address: number;
  close(): void;
}

interface Native {
  readonly Txn: new (env: unknown, flags: number) => NativeTransaction;
  readonly Cursor: new (database: unknown, transactionAddress: number) => NativeCursor;
  resetTxn(address: number): void;
  /** Both return the length of the key they leave in the shared key buffer, 0 at the end, below 0 on error. */
  position(cursor: number, flags: number, offset: number, keyBytes: number, endAddress: number): number;
  iterate(cursor: number): number;
}

interface ReadOptions {
  readonly transaction: NativeTransaction;
}

interface FastBytes extends Buffer {
  readonly isGlobal?: boolean;
  readonly maxLength?: number;
}

interface RawDatabase {
  readonly env: unknown;
  readonly db: unknown;
  readonly lastSize: number;
  getBinaryFast(key: Key, options: ReadOptions): FastBytes | undefined;
  batch(run: () => void): Promise<boolean>;
  transactionSync(run: () => unknown): unknown;
  put(key: Key, value: Uint8Array): unknown;
  remove(key: Key): unknown;
  putSync(key: Key, value: Uint8Array): unknown;
  removeSync(key: Key): unknown;
  readerCheck(): number;
  close(): Promise<void>;
}

const native = (lmdb as unknown as { nativeAddon: Native }).nativeAddon;
const READ_ONLY = 0x2_0000;
const REVERSE = 0x400;
/** The cursor shows the value too: its length at the start of the key buffer, its bytes in the result buffer. */
const WITH_VALUES = 0x100;
const KEY_OFFSET = 32;

/** Through which keys pass to and from native code; the package shows it to the key encoder and nowhere else. */
let sharedKey: Buffer = Buffer.alloc(0);

const keyEncoder = {
  writeKey(key: Key, target: Buffer, start: number): number {
    if (start === 0) sharedKey = target;
    return start + target.latin1Write(key, start);
  },
  readKey: (target: Buffer, start: number, end: number): Key => target.latin1Slice(start, end),
};

/** What is to be written, each key once; null: deleted. Any `Map` will do. */
export interface WriteSet {
  forEach(each: (value: Buffer | null, key: Key) => void): void;
}

export interface DatabaseOptions {
  readonly path: string;
  readonly isDurable: boolean;
  readonly mapBytes: number;
}

const READER_SLOT_BYTES = 64;
const LOCK_HEADER_BYTES = 4_096;

/**
 * Makes the file of reader slots with all its blocks. LMDB would make it with holes and map it into memory; a new
 * reader that touches a hole on a full disk ends the process (SIGBUS), and reads must go on when the disk is full.
 */
function reserveReaderSlots(path: string): void {
  const lock = `${path}-lock`;
  if (existsSync(lock)) return;
  const draft = `${lock}.${process.pid}`;
  const slots = Buffer.alloc(LOCK_HEADER_BYTES + LIMITS.snapshotsMax * READER_SLOT_BYTES);
  writeFileSync(draft, slots, { mode: OWNER_FILE_MODE });
  try {
    linkSync(draft, lock);
  } catch (error) {
    // Another process that opens the same store was faster.
    if (errorCode(error) !== "EEXIST") throw error;
  } finally {
    unlinkSync(draft);
  }
}

export class Database {
  readonly #raw: RawDatabase;
  readonly #snapshots = new Set<LmdbSnapshot>();
  readonly #free: LmdbSnapshot[] = [];

  constructor({ path, isDurable, mapBytes }: DatabaseOptions) {
    reserveReaderSlots(path);
    this.#raw = lmdb.open({
      path,
      encoding: "binary",
      keyEncoder,
      // With overlapping sync, a power cut can leave the file unreadable, and undurable writes are visible.
      overlappingSync: false,
      noSync: !isDurable,
      mapSize: mapBytes,
      permissionsMode: OWNER_FILE_MODE,
      maxReaders: LIMITS.snapshotsMax,
      cache: false,
      // A batch arrives whole and wants to go at once: the grouping has been done above. The package's own
      // grouping also leaves a promise that nobody can take, which ends the process when a commit fails.
      eventTurnBatching: false,
      commitDelay: 0,
    } as lmdb.RootDatabaseOptionsWithPath) as unknown as RawDatabase;
  }

  /** A snapshot of the newest committed state. Give it back with `release`. */
  acquire(): LmdbSnapshot {
    const snapshot = this.#free.pop() ?? this.#open();
    snapshot.renew();
    return snapshot;
  }

  release(snapshot: LmdbSnapshot): void {
    snapshot.reset();
    this.#free.push(snapshot);
  }

  #open(): LmdbSnapshot {
    let transaction: NativeTransaction;
    try {
      transaction = new native.Txn(this.#raw.env, READ_ONLY);
    } catch (error) {
      throw new StorageFault("too many reads are under way", { cause: error, isTransient: true });
    }
    const snapshot = new LmdbSnapshot(this.#raw, transaction);
    this.#snapshots.add(snapshot);
    snapshot.reset();
    return snapshot;
  }

  /** One atomic commit; resolves when it is durable. */
  async commit(writes: WriteSet): Promise<void> {
    try {
      await this.#raw.batch(() => {
        writes.forEach((value, key) => {
          if (value === null) this.#raw.remove(key);
          else this.#raw.put(key, value);
        });
      });
    } catch (error) {
      throw await reasonOf(error);
    }
  }

  /**
   * The same at once, in this thread: for a database that is not synced, where handing a commit to another thread
   * takes longer than the commit.
   */
  commitNow(writes: WriteSet): void {
    this.#raw.transactionSync(() => {
      writes.forEach((value, key) => {
        if (value === null) this.#raw.removeSync(key);
        else this.#raw.putSync(key, value);
      });
    });
  }

  /**
   * Finishes what a process that died in a commit has left: LMDB may have written the new state without having
   * told it to readers, and tells it only when the next write transaction begins. So one is begun, and given up.
   */
  recover(): void {
    this.#raw.transactionSync(() => lmdb.ABORT);
  }

  /** False once LMDB could not write its own page: it then refuses to begin any transaction. */
  isSound(): boolean {
    try {
      this.release(this.acquire());
      return true;
    } catch {
      return false;
    }
  }

  /** Frees the reader slots of processes that died: they would keep old pages from being used again. */
  forgetDeadReaders(): void {
    this.#raw.readerCheck();
  }

  async close(): Promise<void> {
    for (const snapshot of this.#snapshots) snapshot.abort();
    await this.#raw.close();
  }
}

/** A failed batch says only that it failed; why is told by a promise, which somebody has to take. */
async function reasonOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  return commitError === undefined ? error : commitError.catch((reason: unknown) => reason);
}

/** The package's shared result buffer, and the same as a plain Buffer: its own `length` is overridden and slow to touch. */
let sharedResult: FastBytes | undefined;
let sharedBytes: Buffer | undefined;

/** A copy of what the result buffer begins with. */
function ownBytes(bytes: number): Buffer {
  const copy = allocatePage(bytes);
  sharedBytes!.copy(copy, 0, 0, bytes);
  return copy;
}

export class LmdbSnapshot implements Snapshot {
  readonly #raw: RawDatabase;
  readonly #transaction: NativeTransaction;
  readonly #options: ReadOptions;
  /** Kept from one range to the next: making one costs more than finding a key with it. */
  #cursor: NativeCursor | undefined;

  constructor(raw: RawDatabase, transaction: NativeTransaction) {
    this.#raw = raw;
    this.#transaction = transaction;
    // The package counts users of a transaction and ends it at none: ours is never given up to it.
    transaction.refCount = 1;
    this.#options = { transaction };
  }

  renew(): void {
    this.#transaction.renew();
  }

  reset(): void {
    this.#closeCursor();
    native.resetTxn(this.#transaction.address);
  }

  abort(): void {
    this.#closeCursor();
    this.#transaction.abort();
  }

  /** It remembers pages of this state, which are others in the next. */
  #closeCursor(): void {
    this.#cursor?.close();
    this.#cursor = undefined;
  }

  get(key: Key): Buffer | undefined {
    const found = this.#raw.getBinaryFast(key, this.#options);
    if (found === undefined) return undefined;
    const bytes = this.#raw.lastSize;
    if (found !== sharedResult) {
      if (found.isGlobal !== true) return copyPage(found.subarray(0, bytes));
      sharedResult = found;
      sharedBytes = Buffer.from(found.buffer, found.byteOffset, found.maxLength);
    }
    return ownBytes(bytes);
  }

  page({ from, to, reverse = false }: Range, limit: number): Entry[] {
    const entries: Entry[] = [];
    if (from >= to || limit <= 0) return entries;
    const size = this.#showKey(reverse ? to : from);
    this.#cursor ??= new native.Cursor(this.#raw.db, this.#transaction.address);
    const { address } = this.#cursor;
    let found = native.position(address, reverse ? REVERSE | WITH_VALUES : WITH_VALUES, 0, size, 0);
    while (found > 0 && entries.length < limit) {
      const key = sharedKey.latin1Slice(KEY_OFFSET, KEY_OFFSET + found);
      if (reverse ? key < from : key >= to) break;
      if (key !== to) entries.push({ key, value: this.#shownValue(key) });
      if (entries.length < limit) found = native.iterate(address);
    }
    if (found < 0) throw new StorageFault(`reading a range of keys failed with LMDB code ${found}`);
    return entries;
  }

  /** The value the cursor stands on. One that is too long for the result buffer is not in it. */
  #shownValue(key: Key): Buffer {
    const bytes = sharedKey.readUInt32LE(0);
    if (sharedBytes !== undefined && bytes < sharedBytes.length && sharedKey.readUInt32LE(4) === 0) {
      return ownBytes(bytes);
    }
    const value = this.get(key);
    assert(value !== undefined, "a key of this snapshot has no value in it");
    return value;
  }

  #showKey(key: Key): number {
    if (sharedKey.length === 0) this.#raw.getBinaryFast(key, this.#options);
    return sharedKey.latin1Write(key, 0);
  }
}
