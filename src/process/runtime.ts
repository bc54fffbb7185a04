import { type Clock, monotonic, pause, systemClock, systemTimers, type Timers } from "../base/clock.ts";
import { UnusableDirectory } from "../base/faults.ts";
import { LIMITS } from "../base/limits.ts";
import { LocalMessages, type Messages } from "../base/messages.ts";
import { type Random, systemRandom } from "../base/random.ts";
import type { Log } from "../observability/log.ts";
import type { ServiceParts } from "../services/context.ts";
import { PayloadService } from "../services/payload/payload-service.ts";
import { recover } from "../services/payload/recover.ts";
import { BackgroundJobs } from "../services/reclaim/background-jobs.ts";
import { ExtentReclaimer } from "../services/reclaim/extents.ts";
import { MIGRATION_KEY } from "../store/keys/migration.ts";
import type { Store } from "../store/kv.ts";
import { PostgresStore } from "../store/postgres/postgres-store.ts";
import { openDevice, openStore, type WriteLocks } from "./open-store.ts";
import type { StoreChoice } from "./options.ts";
import { Closing } from "./shutdown.ts";

/** Everything below the front ends in one process: the store, the payload and the background jobs. */
export interface RuntimeOptions {
  readonly choice: StoreChoice;
  readonly owner: string;
  readonly log: Log;
  readonly onFatal: (error: unknown) => void;
  readonly writeLocks?: WriteLocks | undefined;
  /** To the other processes on the store; undefined: there are none. */
  readonly messages?: Messages;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Starts the background jobs. A test that runs the jobs itself passes timers that never fire. */
  readonly jobTimers?: Timers;
}

export class Runtime {
  readonly parts: ServiceParts;
  readonly jobs: BackgroundJobs;
  readonly engine: Store;
  readonly payload: PayloadService;
  readonly #reclaimer: ExtentReclaimer;

  constructor(options: RuntimeOptions) {
    const { choice, owner, log, onFatal, writeLocks, clock = systemClock, random = systemRandom } = options;
    this.engine = openStore({ choice, owner, clock, log, writeLocks, onFatal });
    const store = this.engine;
    const device = openDevice(choice, store);
    this.payload = new PayloadService({ store, device, onSyncFailure: onFatal, log });
    this.#reclaimer = new ExtentReclaimer(this.payload);
    this.jobs = new BackgroundJobs({
      ephemeral: store.ephemeral,
      timers: options.jobTimers ?? systemTimers,
      log,
    });
    const messages = options.messages ?? messagesOf(this.engine);
    this.parts = { store, payloads: this.payload, clock, random, log, messages };
    if (this.engine instanceof PostgresStore) {
      this.engine.membership.onDead = (dead) => this.releaseDead([dead]);
    }
  }

  /** Rejects when a database cannot be used. */
  async opened(): Promise<void> {
    if (this.engine instanceof PostgresStore) await openDatabase(this.engine);
  }

  /**
   * Makes payload and records consistent after a crash. Once for a data directory, before serving. Only the
   * command that continues a migration may open a store with an unfinished one.
   */
  async recoverAll({ isMigrating = false } = {}): Promise<void> {
    await this.opened();
    if (!isMigrating) await this.#refuseUnfinishedMigration();
    // Other members may use the same database; they recover what a dead member left.
    if (!(this.engine instanceof PostgresStore)) await recover(this.payload, "all");
  }

  async #refuseUnfinishedMigration(): Promise<void> {
    const note = await this.engine.read((read) => read.get(MIGRATION_KEY));
    if (note === undefined) return;
    throw new UnusableDirectory(
      "a migration or restore into this store is unfinished: run the same command again",
    );
  }

  /** Waits until no other member uses the database, or throws. */
  async waitUntilAlone(): Promise<void> {
    if (!(this.engine instanceof PostgresStore)) return;
    const startedAt = monotonic();
    while ((await this.engine.membership.countOthers()) > 0) {
      if (monotonic() - startedAt > LIMITS.aloneMillisMax)
        throw new UnusableDirectory("other servers use this database: stop them first");
      await pause(LIMITS.databaseRetryMillis);
    }
  }

  /** Releases the locks and payload of processes that have died. */
  async releaseDead(owners: readonly string[]): Promise<void> {
    await recover(this.payload, new Set(owners));
    for (const owner of owners) await this.parts.store.ephemeral.releaseOwner(owner);
  }

  payloadStats(): Promise<{ liveBytes: number; deadBytes: number }> {
    return this.payload.stats();
  }

  async start(): Promise<void> {
    await this.#reclaimer.join();
    this.#reclaimer.start(systemTimers);
  }

  /** After the front ends have closed. */
  async close(closing: Closing = new Closing()): Promise<void> {
    const { engine } = this;
    if (engine instanceof PostgresStore && !(await isOpen(engine))) return engine.close();
    await closing.step("background jobs", () => this.jobs.stop());
    await closing.step("reclaiming of space", () => this.#reclaimer.stop());
    await closing.step("payload", () => this.payload.close());
    await closing.step("records", () => this.parts.store.close());
  }
}

function messagesOf(engine: Store): Messages {
  return engine instanceof PostgresStore ? engine.messages : new LocalMessages();
}

async function openDatabase({ opened, address }: PostgresStore): Promise<void> {
  try {
    await opened;
  } catch (error) {
    if (error instanceof UnusableDirectory) throw error;
    throw new UnusableDirectory(`${address.shown} cannot be used: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function isOpen({ opened }: PostgresStore): Promise<boolean> {
  return opened.then(
    () => true,
    () => false,
  );
}
