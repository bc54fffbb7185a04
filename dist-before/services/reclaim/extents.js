import { DamagedData, StorageFault } from "../../base/faults.js";
import { LIMITS } from "../../base/limits.js";
import { extentKey, extentOfKey, WORN_EXTENTS } from "../../store/keys/payload.js";
import { extentRecord } from "../../store/records/payload.js";
import { isMostlyDead } from "../payload/extent-ledger.js";
import { forgetExtent } from "../payload/recover.js";
import { compactExtent } from "./compact.js";
import { RemovalConsent } from "./consent.js";
import { leaveRole, playsRole } from "./role.js";
/**
 * Gives space back. Every process answers requests for removal and seals its own open extent when that is mostly
 * dead; one process at a time also compacts and removes. Each step does a bounded amount of work.
 */
export class ExtentReclaimer {
    #payload;
    #consent;
    /** Extents with damage: what they hold cannot be moved, and is not thrown away. */
    #damaged = new Set();
    #timer;
    #ticking;
    constructor(payload) {
        this.#payload = payload;
        this.#consent = new RemovalConsent(payload);
    }
    /** Before the first read of this process. */
    join() {
        return this.#consent.join();
    }
    start(timers) {
        this.#timer = timers.every(LIMITS.reclaimIntervalMillis, () => {
            this.#ticking ??= this.#tick().finally(() => {
                this.#ticking = undefined;
            });
        });
    }
    /** Waits for the step under way, leaves the list of processes, and lets another one reclaim. */
    async stop() {
        this.#timer?.cancel();
        await this.#ticking;
        await this.#consent.leave();
        await leaveRole(this.#payload.store.ephemeral, "reclaimer");
    }
    async #tick() {
        try {
            await this.attend();
            if (!(await playsRole(this.#payload.store.ephemeral, "reclaimer")))
                return;
            for (let steps = 0; steps < LIMITS.reclaimStepsPerTick; steps++) {
                const { movedBytes } = await this.reclaimOnce();
                if (movedBytes < LIMITS.compactionBytesPerStep)
                    return;
            }
        }
        catch (err) {
            // Nothing is lost when reclaiming fails: it is tried again with the next tick.
            this.#payload.log.error({ err }, "reclaiming extents failed");
        }
    }
    /** What every process does: its part in the others' removals, and its own open extent. */
    async attend() {
        await this.#consent.answer();
        await this.#payload.recordSealed();
        await this.#payload.sealIfMostlyDead();
    }
    /** Compacts what is worth it, then removes what is empty. */
    async reclaimOnce() {
        await this.#payload.recordSealed();
        const movedBytes = await this.#compact(chooseForCompaction(await this.#worn()));
        // Read again: compaction has just emptied some.
        const empty = (await this.#worn()).filter(({ record }) => record.liveBytes === 0);
        if (empty.length === 0)
            return { removed: 0, movedBytes, waiting: 0 };
        const agreed = await this.#consent.ask(empty.map(({ extent }) => extent));
        await this.#remove(agreed);
        return { removed: agreed.length, movedBytes, waiting: empty.length - agreed.length };
    }
    #worn() {
        return this.#payload.store.read(async (read) => {
            const extents = [];
            const range = { ...WORN_EXTENTS, limit: LIMITS.reclaimExtentsPerStep + this.#damaged.size };
            for await (const { key } of read.range(range)) {
                const extent = extentOfKey(key);
                if (!this.#damaged.has(extent))
                    extents.push(extent);
            }
            const records = await read.getMany(extents.map(extentKey));
            return extents.flatMap((extent, i) => records[i] === undefined ? [] : [{ extent, record: extentRecord.unpack(records[i]) }]);
        });
    }
    async #compact(chosen) {
        let movedBytes = 0;
        for (const { extent } of chosen) {
            if (movedBytes >= LIMITS.compactionBytesPerStep)
                break;
            try {
                movedBytes += await compactExtent(this.#payload, extent, LIMITS.compactionBytesPerStep - movedBytes);
            }
            catch (err) {
                if (!(err instanceof StorageFault))
                    throw err;
                this.#payload.log.error({ err }, "an extent could not be compacted");
                // On a full disk there is no room for copies: what is empty must go first, and it is next.
                if (!(err instanceof DamagedData))
                    break;
                this.#damaged.add(extent);
            }
        }
        return movedBytes;
    }
    /** File first: a crash in between leaves an empty record, which the next step removes again. */
    async #remove(extents) {
        for (const extent of extents)
            await this.#payload.extents.remove(extent);
        if (extents.length === 0)
            return;
        await this.#payload.store.write(async (write) => {
            for (const extent of extents)
                forgetExtent(write, extent);
        });
    }
}
/** Mostly dead ones, the deadest first; small ones when there are many of them. */
function chooseForCompaction(worn) {
    const alive = worn.filter(({ record }) => record.liveBytes > 0);
    const dead = alive.filter(({ record }) => isMostlyDead(record));
    const small = alive.filter(({ record }) => !isMostlyDead(record));
    const chosen = small.length >= LIMITS.smallExtentsMin ? [...dead, ...small] : dead;
    return chosen.sort((one, other) => one.record.liveBytes - other.record.liveBytes);
}
