import { monotonic, pause, type Timer, type Timers } from "../../base/clock.ts";
import { livenessKey } from "../../store/keys/file.ts";
import type { EphemeralSpace, Writer } from "../../store/kv.ts";
import { livenessRecord } from "../../store/records/file.ts";
import { FILE_LIMITS } from "./limits.ts";

/**
 * Whether what this process has put into the ephemeral space is still there. Handles of SMB clients keep others away
 * from their caches only as long as they can be seen. A database that falls over comes back with an empty space, and
 * a node that cannot reach the database is held for dead by the others, who release what it had: in both cases its
 * clients hold caches that nobody knows of.
 *
 * So a process that serves SMB clients keeps a record there and looks for it. When it is gone, or cannot be looked
 * for before others could hold the process for dead, the clients are cut off. Opens wait until every other process
 * has had the time to find out as well.
 */
export class Liveness {
  readonly #ephemeral: EphemeralSpace;
  readonly #isInUse: () => boolean;
  readonly #onLost: () => void;
  readonly #timer: Timer;
  #isLooking = false;
  #missed = 0;
  /** The record was put and not yet missed. */
  #isThere = false;
  #quarantinedUntil = 0;
  #isClosed = false;

  constructor(
    ephemeral: EphemeralSpace,
    timers: Timers,
    on: { readonly isInUse: () => boolean; readonly lost: () => void },
  ) {
    this.#ephemeral = ephemeral;
    this.#isInUse = on.isInUse;
    this.#onLost = on.lost;
    this.#timer = timers.every(FILE_LIMITS.livenessCheckMillis, () => this.#look());
  }

  close(): void {
    this.#isClosed = true;
    this.#timer.cancel();
  }

  /** Inside the transaction that places a handle: false when nothing may be placed before `settled`. */
  async confirm(write: Writer): Promise<boolean> {
    if (monotonic() < this.#quarantinedUntil) return false;
    const key = livenessKey(this.#ephemeral.owner);
    if ((await write.get(key)) !== undefined) return true;
    if (this.#isThere) {
      this.#lose();
      return false;
    }
    write.put(key, livenessRecord.pack({ since: write.now() }));
    return true;
  }

  /** After that transaction: from now on the record is missed when it is gone. */
  placed(): void {
    this.#isThere = true;
  }

  async quarantineEnded(): Promise<void> {
    const left = this.#quarantinedUntil - monotonic();
    if (left > 0) await pause(left);
  }

  /** Looks are counted, not time: a process that was busy for long has missed nothing. */
  #look(): void {
    if (!this.#isThere || !this.#isInUse()) {
      this.#missed = 0;
      return;
    }
    if (this.#isLooking) {
      if (++this.#missed >= FILE_LIMITS.livenessMissesMax) this.#lose();
      return;
    }
    this.#isLooking = true;
    void this.#ephemeral
      .read((read) => read.get(livenessKey(this.#ephemeral.owner)))
      .then(
        (found) => {
          this.#missed = 0;
          if (found === undefined) this.#lose();
        },
        () => {
          this.#missed++;
        },
      )
      .finally(() => {
        this.#isLooking = false;
      });
  }

  #lose(): void {
    if (this.#isClosed || !this.#isThere) return;
    this.#isThere = false;
    this.#missed = 0;
    this.#quarantinedUntil = monotonic() + FILE_LIMITS.livenessQuarantineMillis;
    this.#onLost();
  }
}
