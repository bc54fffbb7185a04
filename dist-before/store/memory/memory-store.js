import { systemClock } from "../../base/clock.js";
import { StorageFault } from "../../base/faults.js";
import { LongKeyReader } from "../long-keys.js";
import { OwnedSpace } from "../owned-space.js";
import { SerialWriter } from "../serial-writer.js";
import { SnapshotReader } from "../snapshot-reader.js";
import { OrderedMap } from "./ordered-map.js";
/** One key space in memory: for tests, for --inMemory, and for what need not outlive the process. */
export class MemorySpace {
    #map = new OrderedMap();
    #clock;
    #writer;
    #isClosed = false;
    constructor(clock) {
        this.#clock = clock;
        const target = {
            refresh: () => this.#map.snapshot(),
            takeOver: () => this.#map.snapshot(),
            rest: () => { },
            commit: async (writes) => this.#apply(writes),
        };
        this.#writer = new SerialWriter(target, clock);
    }
    #apply(writes) {
        for (const [key, value] of writes) {
            if (value === null)
                this.#map.delete(key);
            else
                this.#map.set(key, value);
        }
    }
    async read(fn) {
        if (this.#isClosed)
            throw new StorageFault("the store is closed");
        const reader = new LongKeyReader(new SnapshotReader(this.#map.snapshot(), this.#clock));
        try {
            return await fn(reader);
        }
        finally {
            reader.end();
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
    close() {
        this.#isClosed = true;
        return this.#writer.close();
    }
}
export class MemoryStore {
    ephemeral;
    #space;
    #ephemeralSpace;
    constructor({ clock = systemClock, owner = "memory" } = {}) {
        this.#space = new MemorySpace(clock);
        this.#ephemeralSpace = new MemorySpace(clock);
        this.ephemeral = new OwnedSpace(this.#ephemeralSpace, owner);
    }
    read(fn) {
        return this.#space.read(fn);
    }
    write(fn) {
        return this.#space.write(fn);
    }
    figures() {
        return this.#space.figures();
    }
    watchCommits(listener) {
        this.#space.watchCommits(listener);
    }
    async close() {
        await Promise.all([this.#space.close(), this.#ephemeralSpace.close()]);
    }
}
