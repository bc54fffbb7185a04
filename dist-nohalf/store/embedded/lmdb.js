import "../../base/bytes.js";
import { existsSync, linkSync, unlinkSync, writeFileSync } from "node:fs";
import * as lmdb from "lmdb";
import { assert } from "../../base/assert.js";
import { errorCode, StorageFault } from "../../base/faults.js";
import { LIMITS } from "../../base/limits.js";
const native = lmdb.nativeAddon;
const READ_ONLY = 0x2_0000;
const REVERSE = 0x400;
const KEY_OFFSET = 32;
/** Through which keys pass to and from native code; the package shows it to the key encoder and nowhere else. */
let sharedKey = Buffer.alloc(0);
const keyEncoder = {
    writeKey(key, target, start) {
        if (start === 0)
            sharedKey = target;
        return start + target.latin1Write(key, start);
    },
    readKey: (target, start, end) => target.latin1Slice(start, end),
};
const READER_SLOT_BYTES = 64;
const LOCK_HEADER_BYTES = 4_096;
/**
 * Makes the file of reader slots with all its blocks. LMDB would make it with holes and map it into memory; a new
 * reader that touches a hole on a full disk ends the process (SIGBUS), and reads must go on when the disk is full.
 */
function reserveReaderSlots(path) {
    const lock = `${path}-lock`;
    if (existsSync(lock))
        return;
    const draft = `${lock}.${process.pid}`;
    writeFileSync(draft, Buffer.alloc(LOCK_HEADER_BYTES + LIMITS.snapshotsMax * READER_SLOT_BYTES));
    try {
        linkSync(draft, lock);
    }
    catch (error) {
        // Another process that opens the same store was faster.
        if (errorCode(error) !== "EEXIST")
            throw error;
    }
    finally {
        unlinkSync(draft);
    }
}
export class Database {
    #raw;
    #snapshots = new Set();
    #free = [];
    constructor({ path, isDurable, mapBytes }) {
        reserveReaderSlots(path);
        this.#raw = lmdb.open({
            path,
            encoding: "binary",
            keyEncoder,
            // With overlapping sync, a power cut can leave the file unreadable, and undurable writes are visible.
            overlappingSync: false,
            noSync: !isDurable,
            mapSize: mapBytes,
            maxReaders: LIMITS.snapshotsMax,
            cache: false,
            // A batch arrives whole and wants to go at once: the grouping has been done above. The package's own
            // grouping also leaves a promise that nobody can take, which ends the process when a commit fails.
            eventTurnBatching: false,
            commitDelay: 0,
        });
    }
    /** A snapshot of the newest committed state. Give it back with `release`. */
    acquire() {
        const snapshot = this.#free.pop() ?? this.#open();
        snapshot.renew();
        return snapshot;
    }
    release(snapshot) {
        snapshot.reset();
        this.#free.push(snapshot);
    }
    #open() {
        let transaction;
        try {
            transaction = new native.Txn(this.#raw.env, READ_ONLY);
        }
        catch (error) {
            throw new StorageFault("too many reads are under way", { cause: error, isTransient: true });
        }
        const snapshot = new LmdbSnapshot(this.#raw, transaction);
        this.#snapshots.add(snapshot);
        snapshot.reset();
        return snapshot;
    }
    /** One atomic commit; resolves when it is durable. */
    async commit(writes) {
        try {
            await this.#raw.batch(() => {
                for (const [key, value] of writes) {
                    if (value === null)
                        this.#raw.remove(key);
                    else
                        this.#raw.put(key, value);
                }
            });
        }
        catch (error) {
            throw await reasonOf(error);
        }
    }
    /**
     * Finishes what a process that died in a commit has left: LMDB may have written the new state without having
     * told it to readers, and tells it only when the next write transaction begins. So one is begun, and given up.
     */
    recover() {
        this.#raw.transactionSync(() => lmdb.ABORT);
    }
    /** False once LMDB could not write its own page: it then refuses to begin any transaction. */
    isSound() {
        try {
            this.release(this.acquire());
            return true;
        }
        catch {
            return false;
        }
    }
    /** Frees the reader slots of processes that died: they would keep old pages from being used again. */
    forgetDeadReaders() {
        this.#raw.readerCheck();
    }
    async close() {
        for (const snapshot of this.#snapshots)
            snapshot.abort();
        await this.#raw.close();
    }
}
/** A failed batch says only that it failed; why is told by a promise, which somebody has to take. */
async function reasonOf(error) {
    const { commitError } = error;
    return commitError === undefined ? error : commitError.catch((reason) => reason);
}
/** The package's shared result buffer, as a plain Buffer: its own `length` is overridden and slow to touch. */
let sharedBytes;
export class LmdbSnapshot {
    #raw;
    #transaction;
    #options;
    constructor(raw, transaction) {
        this.#raw = raw;
        this.#transaction = transaction;
        // The package counts users of a transaction and ends it at none: ours is never given up to it.
        transaction.refCount = 1;
        this.#options = { transaction };
    }
    renew() {
        this.#transaction.renew();
    }
    reset() {
        native.resetTxn(this.#transaction.address);
    }
    abort() {
        this.#transaction.abort();
    }
    get(key) {
        const found = this.#raw.getBinaryFast(key, this.#options);
        if (found === undefined)
            return undefined;
        const bytes = this.#raw.lastSize;
        if (found.isGlobal !== true)
            return Buffer.from(found.subarray(0, bytes));
        if (sharedBytes?.buffer !== found.buffer) {
            sharedBytes = Buffer.from(found.buffer, found.byteOffset, found.maxLength);
        }
        const copy = Buffer.allocUnsafe(bytes);
        sharedBytes.copy(copy, 0, 0, bytes);
        return copy;
    }
    /** The cursor finds keys only; values are fetched by key, which is cheaper than the package's own ranges. */
    page({ from, to, reverse = false }, limit) {
        const entries = [];
        if (from >= to || limit <= 0)
            return entries;
        const cursor = new native.Cursor(this.#raw.db, this.#transaction.address);
        try {
            const start = reverse ? to : from;
            let found = native.position(cursor.address, reverse ? REVERSE : 0, 0, this.#showKey(start), 0);
            while (found > 0 && entries.length < limit) {
                const key = sharedKey.latin1Slice(KEY_OFFSET, KEY_OFFSET + found);
                if (reverse ? key < from : key >= to)
                    break;
                if (key !== to) {
                    const value = this.get(key);
                    assert(value !== undefined, "a key of this snapshot has no value in it");
                    entries.push({ key, value });
                }
                if (entries.length < limit)
                    found = native.iterate(cursor.address);
            }
            if (found < 0)
                throw new StorageFault(`reading a range of keys failed with LMDB code ${found}`);
        }
        finally {
            cursor.close();
        }
        return entries;
    }
    #showKey(key) {
        if (sharedKey.length === 0)
            this.#raw.getBinaryFast(key, this.#options);
        return sharedKey.latin1Write(key, 0);
    }
}
