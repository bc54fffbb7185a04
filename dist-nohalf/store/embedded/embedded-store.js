import { mkdirSync, statfsSync } from "node:fs";
import { dirname, join } from "node:path";
import { assert } from "../../base/assert.js";
import { systemClock } from "../../base/clock.js";
import { isOutOfSpace, StorageFault } from "../../base/faults.js";
import { LIMITS, TIB } from "../../base/limits.js";
import { LongKeyReader } from "../long-keys.js";
import { OwnedSpace } from "../owned-space.js";
import { SerialWriter } from "../serial-writer.js";
import { SnapshotReader } from "../snapshot-reader.js";
import { checkDatabaseFile } from "./check-file.js";
import { Database } from "./lmdb.js";
/** One LMDB file as a key space. */
class EmbeddedSpace {
    #database;
    #directory;
    #clock;
    #writer;
    #onFatal;
    #writerSnapshot;
    #reads = 0;
    #onLastRead = () => { };
    #closing;
    constructor({ path, isDurable }, clock, turn, onFatal) {
        this.#database = new Database({ path, isDurable, mapBytes: TIB });
        this.#directory = dirname(path);
        this.#clock = clock;
        this.#onFatal = onFatal;
        const target = {
            refresh: () => this.#refresh(),
            takeOver: () => {
                this.#database.recover();
                return this.#refresh();
            },
            rest: () => this.#rest(),
            commit: (writes) => this.#commit(writes),
        };
        this.#writer = new SerialWriter(target, clock, turn);
    }
    #refresh() {
        if (this.#writerSnapshot === undefined)
            this.#writerSnapshot = this.#database.acquire();
        else {
            this.#writerSnapshot.reset();
            this.#writerSnapshot.renew();
        }
        return this.#writerSnapshot;
    }
    #rest() {
        if (this.#writerSnapshot !== undefined)
            this.#database.release(this.#writerSnapshot);
        this.#writerSnapshot = undefined;
    }
    async #commit(writes) {
        try {
            await this.#database.commit(writes);
        }
        catch (error) {
            if (this.#database.isSound() && isFull(error, this.#directory)) {
                throw new StorageFault("no space left for records", { cause: error, isTransient: true });
            }
            this.#onFatal(error);
            // The process is on its way down. Nobody may hear an answer it could not keep.
            await new Promise(() => { });
        }
    }
    async read(fn) {
        if (this.#closing !== undefined)
            throw new StorageFault("the store is closed");
        const snapshot = this.#database.acquire();
        const reader = new LongKeyReader(new SnapshotReader(snapshot, this.#clock));
        this.#reads++;
        try {
            return await fn(reader);
        }
        finally {
            reader.end();
            this.#database.release(snapshot);
            if (--this.#reads === 0)
                this.#onLastRead();
        }
    }
    write(fn) {
        return this.#writer.write(fn);
    }
    figures() {
        return this.#writer.figures();
    }
    watchCommits(listener) {
        this.#writer.watchCommits(listener);
    }
    forgetDeadReaders() {
        this.#database.forgetDeadReaders();
    }
    close() {
        this.#closing ??= this.#close();
        return this.#closing;
    }
    async #close() {
        await this.#writer.close();
        // A snapshot that is taken away under a reader would be read from freed memory.
        if (this.#reads > 0) {
            await new Promise((resolve) => {
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
/**
 * Whether a commit failed for lack of room, in which case LMDB has undone it. When the disk takes only a part of
 * a write, LMDB says EIO, as it does after a failed sync: only the disk can tell the two apart.
 */
function isFull(error, directory) {
    const { code } = error;
    if (isOutOfSpace(error) || code === ENOSPC || code === EDQUOT || code === MAP_FULL)
        return true;
    if (code !== EIO)
        return false;
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize < LIMITS.fullDiskBytesMax;
}
export class EmbeddedStore {
    ephemeral;
    #records;
    #ephemeralSpace;
    constructor({ directory, clock = systemClock, owner, turns, onFatal }) {
        const isAlone = turns === undefined || (turns.records.isHeld() && turns.ephemeral.isHeld());
        assert(isAlone, "a shared store is opened by who holds its turns");
        mkdirSync(directory, { recursive: true });
        checkDatabaseFile(join(directory, "records.mdb"));
        const open = (name, isDurable, turn) => new EmbeddedSpace({ path: join(directory, name), isDurable }, clock, turn, onFatal);
        this.#records = open("records.mdb", true, turns?.records);
        this.#ephemeralSpace = open("ephemeral.mdb", false, turns?.ephemeral);
        this.ephemeral = new OwnedSpace(this.#ephemeralSpace, owner);
    }
    read(fn) {
        return this.#records.read(fn);
    }
    write(fn) {
        return this.#records.write(fn);
    }
    figures() {
        return this.#records.figures();
    }
    watchCommits(listener) {
        this.#records.watchCommits(listener);
    }
    /** After another process died. */
    forgetDeadReaders() {
        this.#records.forgetDeadReaders();
        this.#ephemeralSpace.forgetDeadReaders();
    }
    async close() {
        await Promise.all([this.#records.close(), this.#ephemeralSpace.close()]);
    }
}
