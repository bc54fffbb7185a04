import { monotonic, pause, type Timer, type Timers } from "../../base/clock.ts";
import { livenessKey } from "../../store/keys/file.ts";
import type { EphemeralSpace, Writer } from "../../store/kv.ts";
import { livenessRecord } from "../../store/records/file.ts";
import { FILE_LIMITS } from "./limits.ts";

/**
 * Whether the ephemeral records of this process still exist. Handles of SMB clients exclude others from what
 * these clients cache only while other processes see them. There are two ways to lose them: a database that
 * fails over comes back with an empty space, and the other members declare a member dead that cannot reach
 * the database, and delete its records. In both cases its clients hold caches that no other process can see.
 *
 * A process that serves SMB clients therefore keeps a record in the space and looks for it. When the record
 * is gone, or when looks fail for so long that others could declare the process dead, it disconnects its
 * clients. Opens then wait until every other process has noticed too.
 */
export class Liveness {
  readonly #ephemeral: EphemeralSpace;
  readonly #isInUse: () => boolean;
  readonly #onLost: () => void;
  readonly #timer: Timer;
  #isLooking = false;
  #missed = 0;
  /** This process has put its record and has not seen it missing. */
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

  /** In the transaction that places a handle: false while the quarantine forbids it. */
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

  /** After that transaction: from now on a missing record counts as a loss. */
  placed(): void {
    this.#isThere = true;
  }

  async quarantineEnded(): Promise<void> {
    const left = this.#quarantinedUntil - monotonic();
    if (left > 0) await pause(left);
  }

  /** Counts failed looks, not time: a process that was busy for long has lost nothing. */
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
