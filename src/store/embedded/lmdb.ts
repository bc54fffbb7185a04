import { existsSync, linkSync, unlinkSync, writeFileSync } from "node:fs";
import * as lmdb from "lmdb";
import { allocatePage, copyPage, SlabAllocator } from "../../base/bytes.ts";
import { DamagedData, errorCode, StorageFault } from "../../base/faults.ts";
import { OWNER_FILE_MODE } from "../../base/file-modes.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Entry, Key, Range } from "../kv.ts";
import type { Snapshot } from "../overlay.ts";
import {
  CHECKSUM_BYTES,
  damagedRecord,
  isIntactIn,
  printableKey,
  verified,
  withChecksum,
} from "../records/checksum.ts";

/**
 * LMDB with raw bytes, keys as binary strings, and explicit read transactions. Every value is stored with a
 * checksum, because LMDB has none, and verified when it is read.
 *
 * The `lmdb` package renews one shared read transaction per tick of the event loop and resets it by a timer,
 * which costs more than the read and could answer a request from a snapshot older than the request. So each
 * snapshot here owns a read transaction: it renews it (0.2 us) when its reads begin and resets it when they
 * end. The package exports the functions for this without types: they are declared below, and the contract
 * suite detects a change of meaning.
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
  /** Both leave a key in the shared key buffer and return its length, 0 at the end, below 0 on error. */
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
/** The cursor returns values too: the length at the start of the key buffer, the bytes in the result. */
const WITH_VALUES = 0x100;
const KEY_OFFSET = 32;
const NO_BYTES = Buffer.alloc(0);
const FIRST_KEY: Key = "\0";
/** Every key begins with 00 or the ASCII name of its family; a damaged one may not. */
export const END_KEY: Key = "\xff";

/** The buffers between the package and native code, one of each for the process. */
class SharedBuffers {
  /** Keys. The package passes it to the key encoder and nowhere else. */
  key: Buffer = Buffer.alloc(0);
  result: FastBytes | undefined;
  /** The result buffer as a plain Buffer: `length` of the package's own is overridden and slow. */
  resultBytes: Buffer | undefined;
  #view: DataView | undefined;

  setResult(result: FastBytes): void {
    this.result = result;
    this.resultBytes = Buffer.from(result.buffer, result.byteOffset, result.maxLength);
    this.#view = new DataView(result.buffer, result.byteOffset, result.maxLength);
  }

  /** A copy of the first bytes of the result buffer. */
  copyStored(bytes: number): Buffer {
    const copy = allocatePage(bytes);
    this.resultBytes!.copy(copy, 0, 0, bytes);
    return copy;
  }

  verify(key: Key, storedBytes: number): void {
    if (!isIntactIn(key, this.#view!, storedBytes)) throw damagedRecord(key);
  }

  /** The length of the value at the cursor, if it is in the result buffer. */
  cursorBytes(): number | undefined {
    const bytes = this.key.readUInt32LE(0);
    const isHere = bytes < (this.resultBytes?.length ?? 0) && this.key.readUInt32LE(4) === 0;
    return isHere ? bytes : undefined;
  }

  /** A copy of the record in the first bytes of the result buffer. */
  copyRecord(key: Key, storedBytes: number): Buffer {
    this.verify(key, storedBytes);
    return this.copyStored(storedBytes - CHECKSUM_BYTES);
  }
}

const shared = new SharedBuffers();

const keyEncoder = {
  writeKey(key: Key, target: Buffer, start: number): number {
    if (start === 0) shared.key = target;
    return start + target.latin1Write(key, start);
  },
  readKey: (target: Buffer, start: number, end: number): Key => target.latin1Slice(start, end),
};

/** Writes to commit, each key once; null deletes. A `Map` is one. */
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
 * Creates the file of reader slots with all its blocks. LMDB would create it sparse and map it into memory; a
 * new reader that touches a hole on a full disk ends the process (SIGBUS), and reads must continue when the
 * disk is full.
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
    // Another process opened the same store first.
    if (errorCode(error) !== "EEXIST") throw error;
  } finally {
    unlinkSync(draft);
  }
}

export class Database {
  readonly #raw: RawDatabase;
  readonly #snapshots = new Set<LmdbSnapshot>();
  readonly #free: LmdbSnapshot[] = [];
  readonly #slabs = new SlabAllocator(LIMITS.slabBytes);
  readonly #allocate = (bytes: number): Buffer => this.#slabs.allocate(bytes);

  constructor({ path, isDurable, mapBytes }: DatabaseOptions) {
    reserveReaderSlots(path);
    this.#raw = lmdb.open({
      path,
      encoding: "binary",
      keyEncoder,
      // Overlapping sync shows writes that are not durable, and a power cut can leave the file unreadable.
      overlappingSync: false,
      noSync: !isDurable,
      mapSize: mapBytes,
      permissionsMode: OWNER_FILE_MODE,
      maxReaders: LIMITS.snapshotsMax,
      cache: false,
      // The writer has grouped the batch already. The package's own grouping also creates a promise that no
      // caller can handle, which ends the process when a commit fails.
      eventTurnBatching: false,
      commitDelay: 0,
    } as lmdb.RootDatabaseOptionsWithPath) as unknown as RawDatabase;
  }

  /** A snapshot of the newest committed state. `release` ends it. */
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
      throw new StorageFault("too many concurrent reads", { cause: error, isTransient: true });
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
          else this.#raw.put(key, withChecksum(key, value, this.#allocate));
        });
      });
    } catch (error) {
      throw await reasonOf(error);
    }
  }

  /** The same synchronously, for a database without sync: handing it to a thread would take longer. */
  commitNow(writes: WriteSet): void {
    this.#raw.transactionSync(() => {
      writes.forEach((value, key) => {
        if (value === null) this.#raw.removeSync(key);
        else this.#raw.putSync(key, withChecksum(key, value, this.#allocate));
      });
    });
  }

  /**
   * Recovers from a process that died during a commit: LMDB may have written the new state without publishing
   * it, and publishes it only when the next write transaction begins. So this begins one and aborts it.
   */
  recover(): void {
    this.#raw.transactionSync(() => lmdb.ABORT);
  }

  /** False once LMDB failed to write its meta page: it then refuses every transaction. */
  isSound(): boolean {
    try {
      this.release(this.acquire());
      return true;
    } catch {
      return false;
    }
  }

  /** Frees the reader slots of processes that died: they would keep old pages from being reused. */
  forgetDeadReaders(): void {
    this.#raw.readerCheck();
  }

  async close(): Promise<void> {
    for (const snapshot of this.#snapshots) snapshot.abort();
    await this.#raw.close();
  }
}

/** A failed batch carries its reason in a promise, which must be handled. */
async function reasonOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  return commitError === undefined ? error : commitError.catch((reason: unknown) => reason);
}

export class LmdbSnapshot implements Snapshot {
  readonly #raw: RawDatabase;
  readonly #transaction: NativeTransaction;
  readonly #options: ReadOptions;
  /** Reused for every range: creating one costs more than a lookup. */
  #cursor: NativeCursor | undefined;

  constructor(raw: RawDatabase, transaction: NativeTransaction) {
    this.#raw = raw;
    this.#transaction = transaction;
    // The package counts the users of a transaction and ends it at zero: this count keeps it open.
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

  /** A cursor refers to pages of this state. */
  #closeCursor(): void {
    this.#cursor?.close();
    this.#cursor = undefined;
  }

  get(key: Key): Buffer | undefined {
    const found = this.#raw.getBinaryFast(key, this.#options);
    if (found === undefined) {
      this.#checkAbsent(key);
      return undefined;
    }
    const bytes = this.#raw.lastSize;
    if (found !== shared.result) {
      if (found.isGlobal !== true) return verified(key, copyPage(found.subarray(0, bytes)));
      shared.setResult(found);
    }
    return shared.copyRecord(key, bytes);
  }

  page(range: Range, limit: number): Entry[] {
    return this.#scan(range, limit, (key) => this.#cursorValue(key));
  }

  /** As `page`, with the values as they are stored, damaged or not. */
  storedPage(range: Range, limit: number): Entry[] {
    return this.#scan(range, limit, (key) => this.#storedValue(key));
  }

  #scan({ from, to, reverse = false }: Range, limit: number, readValue: (key: Key) => Buffer): Entry[] {
    const entries: Entry[] = [];
    if (from >= to || limit <= 0) return entries;
    const keyBytes = this.#writeKey(reverse ? to : from);
    this.#cursor ??= new native.Cursor(this.#raw.db, this.#transaction.address);
    const { address } = this.#cursor;
    let found = native.position(address, reverse ? REVERSE | WITH_VALUES : WITH_VALUES, 0, keyBytes, 0);
    let before: Key | undefined;
    while (found > 0 && entries.length < limit) {
      const key = shared.key.latin1Slice(KEY_OFFSET, KEY_OFFSET + found);
      if (reverse ? key < from : key >= to) break;
      // Without this a walk over damaged pages may never end.
      const isOrdered = reverse ? key < (before ?? `${to}\0`) : key > (before ?? "") && key >= from;
      if (!isOrdered)
        throw new DamagedData(`the keys of the database are out of order at ${printableKey(key)}`);
      before = key;
      if (key !== to) entries.push({ key, value: readValue(key) });
      if (entries.length < limit) found = native.iterate(address);
    }
    if (found < 0) throw new StorageFault(`reading a range of keys failed with LMDB code ${found}`);
    return entries;
  }

  /**
   * A damaged key misleads searches for others. So a key is absent only if it lies between two keys that
   * follow each other and belong to intact records.
   */
  #checkAbsent(key: Key): void {
    const [before] = this.#scan({ from: FIRST_KEY, to: key, reverse: true }, 1, () => NO_BYTES);
    const from = before?.key ?? FIRST_KEY;
    const around = this.#scan({ from, to: END_KEY }, 2, (found) => this.#verifyAtCursor(found));
    const next = before === undefined ? around[0] : around[1];
    const isBetween = before === undefined || around[0]?.key === before.key;
    if (!isBetween || (next !== undefined && next.key <= key)) throw damagedRecord(key);
  }

  #verifyAtCursor(key: Key): Buffer {
    const bytes = shared.cursorBytes();
    if (bytes === undefined) return this.#cursorValue(key);
    shared.verify(key, bytes);
    return NO_BYTES;
  }

  /** The value at the cursor: in the result buffer, unless it is too long for it. */
  #cursorValue(key: Key): Buffer {
    const bytes = shared.cursorBytes();
    const value = bytes === undefined ? this.get(key) : shared.copyRecord(key, bytes);
    // The cursor met a key that a search does not find: the pages above it are damaged.
    if (value === undefined) throw damagedRecord(key);
    return value;
  }

  #storedValue(key: Key): Buffer {
    const bytes = shared.cursorBytes();
    if (bytes !== undefined) return shared.copyStored(bytes);
    const found = this.#raw.getBinaryFast(key, this.#options);
    if (found === undefined) throw damagedRecord(key);
    return copyPage(found.subarray(0, this.#raw.lastSize));
  }

  #writeKey(key: Key): number {
    if (shared.key.length === 0) this.#raw.getBinaryFast(key, this.#options);
    return shared.key.latin1Write(key, 0);
  }
}
