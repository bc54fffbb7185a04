import type { Timer, Timers } from "../../base/clock.ts";
import { DamagedData, StorageFault } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import { extentKey, extentOfKey, WORN_EXTENTS } from "../../store/keys/payload.ts";
import { type ExtentRecord, extentRecord } from "../../store/records/payload.ts";
import { isMostlyDead } from "../payload/extent-ledger.ts";
import type { PayloadService } from "../payload/payload-service.ts";
import { forgetExtent } from "../payload/recover.ts";
import { compactExtent } from "./compact.ts";
import { RemovalConsent } from "./consent.ts";
import { hasRole, leaveRole } from "./role.ts";

export interface ReclaimReport {
  /** Extents whose files are gone. */
  readonly removed: number;
  readonly movedBytes: number;
  /** Empty extents that readers still pin, here or in another process. */
  readonly waiting: number;
}

interface Worn {
  readonly extent: bigint;
  readonly record: ExtentRecord;
}

/**
 * Reclaims space. Every process takes part in removals and seals its own open extent when that is mostly
 * dead; one process at a time also compacts and removes. Each step does a bounded amount of work.
 */
export class ExtentReclaimer {
  readonly #payload: PayloadService;
  readonly #consent: RemovalConsent;
  /** Damaged extents, which are neither moved nor removed. */
  readonly #damaged = new Set<bigint>();
  #timer: Timer | undefined;
  #wakeups: Timer | undefined;
  #ticking: Promise<void> | undefined;

  constructor(payload: PayloadService) {
    this.#payload = payload;
    this.#consent = new RemovalConsent(payload);
  }

  /** Before the first read of this process. */
  join(): Promise<void> {
    return this.#consent.join();
  }

  start(timers: Timers): void {
    this.#timer = timers.every(LIMITS.reclaimIntervalMillis, () => this.#begin(() => this.#tick()));
    // Replacing a large file leaves whole extents empty. Removed at once, their disk space and page cache
    // serve the new content.
    this.#payload.dropped.listen(() => {
      this.#wakeups ??= timers.after(LIMITS.reclaimWakeupMillis, () => {
        this.#wakeups = undefined;
        this.#begin(() => this.#scheduleRemoval());
      });
    });
  }

  /** Waits for the step in flight, leaves the list of processes, and releases the role. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    this.#payload.dropped.listen(() => {});
    this.#wakeups?.cancel();
    await this.#ticking;
    await this.#consent.leave();
    await leaveRole(this.#payload.store.ephemeral, "reclaimer");
  }

  #begin(step: () => Promise<void>): void {
    this.#ticking ??= step().finally(() => {
      this.#ticking = undefined;
    });
  }

  async #scheduleRemoval(): Promise<void> {
    try {
      if (await hasRole(this.#payload.store.ephemeral, "reclaimer")) await this.#removeEmpty();
    } catch (err) {
      this.#payload.log.error({ err }, "removing empty extents failed");
    }
  }

  async #tick(): Promise<void> {
    try {
      await this.attend();
      if (!(await hasRole(this.#payload.store.ephemeral, "reclaimer"))) return;
      for (let steps = 0; steps < LIMITS.reclaimStepsPerTick; steps++) {
        const { movedBytes } = await this.reclaimOnce();
        if (movedBytes < LIMITS.compactionBytesPerStep) return;
      }
    } catch (err) {
      // Nothing is lost, because the next tick tries again.
      this.#payload.log.error({ err }, "reclaiming extents failed");
    }
  }

  /** What every process does: it answers removal requests and seals its own open extent. */
  async attend(): Promise<void> {
    await this.#consent.answer();
    await this.#payload.recordSealed();
    await this.#payload.sealIfMostlyDead();
  }

  /** Compacts worn extents, then removes empty ones. */
  async reclaimOnce(): Promise<ReclaimReport> {
    await this.#payload.recordSealed();
    const movedBytes = await this.#compact(chooseForCompaction(await this.#worn()));
    return { movedBytes, ...(await this.#removeEmpty()) };
  }

  async #removeEmpty(): Promise<{ readonly removed: number; readonly waiting: number }> {
    const empty = (await this.#worn()).filter(({ record }) => record.liveBytes === 0);
    if (empty.length === 0) return { removed: 0, waiting: 0 };
    const agreed = await this.#consent.ask(empty.map(({ extent }) => extent));
    await this.#remove(agreed);
    return { removed: agreed.length, waiting: empty.length - agreed.length };
  }

  #worn(): Promise<Worn[]> {
    return this.#payload.store.read(async (read) => {
      const extents: bigint[] = [];
      const range = { ...WORN_EXTENTS, limit: LIMITS.reclaimExtentsPerStep + this.#damaged.size };
      for await (const { key } of read.range(range)) {
        const extent = extentOfKey(key);
        if (!this.#damaged.has(extent)) extents.push(extent);
      }
      const records = await read.getMany(extents.map(extentKey));
      return extents.flatMap((extent, i) =>
        records[i] === undefined ? [] : [{ extent, record: extentRecord.unpack(records[i]) }],
      );
    });
  }

  async #compact(chosen: readonly Worn[]): Promise<number> {
    let movedBytes = 0;
    for (const { extent } of chosen) {
      if (movedBytes >= LIMITS.compactionBytesPerStep) break;
      try {
        movedBytes += await compactExtent(this.#payload, extent, LIMITS.compactionBytesPerStep - movedBytes);
      } catch (err) {
        if (!(err instanceof StorageFault)) throw err;
        this.#payload.log.error({ err }, "an extent could not be compacted");
        // A full disk has no space for copies; the removal of empty extents comes next and may free some.
        if (!(err instanceof DamagedData)) break;
        this.#damaged.add(extent);
      }
    }
    return movedBytes;
  }

  /** The file is removed first: a crash in between leaves an empty record, which the next step removes. */
  async #remove(extents: readonly bigint[]): Promise<void> {
    for (const extent of extents) await this.#payload.extents.remove(extent);
    if (extents.length === 0) return;
    await this.#payload.store.write(async (write) => {
      for (const extent of extents) forgetExtent(write, extent);
    });
  }
}

/** Mostly dead extents, those with the fewest live bytes first; also small ones when there are many. */
function chooseForCompaction(worn: readonly Worn[]): Worn[] {
  const alive = worn.filter(({ record }) => record.liveBytes > 0);
  const dead = alive.filter(({ record }) => isMostlyDead(record));
  const small = alive.filter(({ record }) => !isMostlyDead(record));
  const chosen = small.length >= LIMITS.smallExtentsMin ? [...dead, ...small] : dead;
  return chosen.sort((a, b) => a.record.liveBytes - b.record.liveBytes);
}
