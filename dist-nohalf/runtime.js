import { join } from "node:path";
import { systemClock, systemTimers } from "./base/clock.js";
import { systemRandom } from "./base/random.js";
import { DiskDevice } from "./extents/disk-device.js";
import { MemoryDevice } from "./extents/memory-device.js";
import { openStore } from "./open-store.js";
import { PayloadService } from "./services/payload/payload-service.js";
import { recover } from "./services/payload/recover.js";
import { WatchedStore } from "./services/payload/watched-store.js";
import { Chores } from "./services/reclaim/chores.js";
import { ExtentReclaimer } from "./services/reclaim/extents.js";
export class Runtime {
    parts;
    chores;
    engine;
    #payload;
    #reclaimer;
    constructor(options) {
        const { choice, owner, log, onFatal, turns, clock = systemClock, random = systemRandom } = options;
        this.engine = openStore({ choice, owner, clock, turns, onFatal });
        const store = new WatchedStore(this.engine);
        const device = choice.kind === "memory" ? new MemoryDevice() : DiskDevice.at(join(choice.directory, "extents"));
        this.#payload = new PayloadService({ store, device, onSyncFailure: onFatal, log });
        this.#reclaimer = new ExtentReclaimer(this.#payload);
        this.chores = new Chores({
            ephemeral: store.ephemeral,
            timers: options.choreTimers ?? systemTimers,
            log,
        });
        this.parts = { store, payloads: this.#payload, clock, random, log };
    }
    /** Once for a data directory, before anything is served: brings files and records together after a crash. */
    async recoverAll() {
        await recover(this.#payload, "all");
    }
    /** Releases what processes left behind that died while we live. */
    async releaseDead(owners) {
        await recover(this.#payload, new Set(owners));
        for (const owner of owners)
            await this.parts.store.ephemeral.releaseOwner(owner);
    }
    payloadFigures() {
        return this.#payload.figures();
    }
    async start() {
        await this.#reclaimer.join();
        this.#reclaimer.start(systemTimers);
    }
    /** After the front ends have closed. */
    async close() {
        await this.chores.stop();
        await this.#reclaimer.stop();
        await this.#payload.close();
        await this.parts.store.close();
    }
}
