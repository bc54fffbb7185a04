import { ConfigError } from "../../base/config-error.ts";
import { UnusableDirectory } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import { blobContext } from "../../services/blob/context.ts";
import { queueContext } from "../../services/queue/context.ts";
import { MIGRATION_KEY } from "../../store/keys/migration.ts";
import type { Store } from "../../store/kv.ts";
import { type MigrationRecord, migrationRecord } from "../../store/records/migration.ts";
import { beginMigration, type MigrateOptions, type MigrationStep } from "../migrate.ts";
import { openOffline } from "../offline-store.ts";
import { AzuriteData } from "./azurite-data.ts";
import { Bodies } from "./bodies.ts";
import { blobStep, blockStep, containerStep } from "./import-blobs.ts";
import { propertiesStep } from "./import-properties.ts";
import { messageStep, queueStep } from "./import-queues.ts";
import type { Comparison, Import, ImportContext, ImportStep } from "./import-step.ts";
import { entityStep, tableStep } from "./import-tables.ts";
import type { LokiRecord } from "./loki-file.ts";

/**
 * Brings what Azurite stored in a directory into an empty store. It reads Azurite's files once for each kind
 * of records, containers before blobs before uncommitted blocks, and writes the records in batches. Each
 * transaction notes how far it came, as `kind:records`, so the same command continues after an interruption.
 * Then it reads the files again and compares each object with what is stored, bodies included. Memory holds
 * one batch, whatever the size of the files.
 */
export interface ImportAzurite extends Omit<MigrateOptions, "from"> {
  readonly directory: string;
}

export interface AzuriteImported {
  readonly records: number;
  /** Records without their container, queue or table, which Azurite shows to no client. */
  readonly orphans: number;
}

export async function importAzurite({
  directory,
  to,
  log,
  progress,
}: ImportAzurite): Promise<AzuriteImported> {
  if (to.kind === "memory") throw new ConfigError("--to", "expected a directory or a postgres:// address");
  const data = await AzuriteData.open(directory);
  const { runtime, close } = await openOffline(to, "migrate", log, { isMigrating: true });
  try {
    const { store } = runtime.parts;
    const blobs = blobContext(runtime.parts);
    const context = { data, blobs, bodies: new Bodies(data, blobs) };
    const steps = [
      containerStep,
      blobStep,
      blockStep,
      queueStep,
      messageStep(queueContext(runtime.parts)),
      tableStep,
      entityStep,
      // Last: static websites need the container $web, which Azurite may have.
      ...(["blob", "queue", "table"] as const).map(propertiesStep),
    ];
    const origin = `azurite ${data.fingerprint()}`;
    const begun = await beginMigration(store, origin);
    const imported = await new Importer(store, context, steps, progress).run(begun);
    if (`azurite ${data.fingerprint()}` !== origin)
      throw new UnusableDirectory(
        `${directory} changed during the migration: stop Azurite, and migrate into an empty target`,
      );
    await store.write(async (write) => write.delete(MIGRATION_KEY));
    return imported;
  } finally {
    await close();
  }
}

class Importer {
  readonly #store: Store;
  readonly #context: ImportContext;
  readonly #steps: readonly ImportStep[];
  readonly #progress: (step: MigrationStep) => void;
  /** Bytes of the files that are read before each step. */
  readonly #bytesBefore: readonly number[];
  readonly #bytes: number;
  #orphans = 0;

  constructor(
    store: Store,
    context: ImportContext,
    steps: readonly ImportStep[],
    progress: (step: MigrationStep) => void,
  ) {
    this.#store = store;
    this.#context = context;
    this.#steps = steps;
    this.#progress = progress;
    let bytes = 0;
    this.#bytesBefore = steps.map(({ file }) => {
      const before = bytes;
      bytes += context.data.bytesOf(file);
      return before;
    });
    this.#bytes = bytes;
  }

  async run(begun: MigrationRecord): Promise<AzuriteImported> {
    let state = begun;
    await this.#eachBatch("import", parsePosition(begun.lastKey), async (step, batch, position) => {
      const next = { ...state, lastKey: position, records: state.records + batch.length };
      await this.#write(step, batch, next);
      state = next;
    });
    await this.#eachBatch("compare", { step: 0, records: 0 }, (step, batch) => this.#compare(step, batch));
    return { records: state.records, orphans: this.#orphans };
  }

  async #eachBatch(
    phase: MigrationStep["phase"],
    from: Position,
    work: (step: ImportStep, batch: readonly LokiRecord[], position: string) => Promise<void>,
  ): Promise<void> {
    for (let number = from.step; number < this.#steps.length; number++) {
      const step = this.#steps[number]!;
      const skipped = number === from.step ? from.records : 0;
      let seen = 0;
      let batch: LokiRecord[] = [];
      let bytes = 0;
      const finish = async (): Promise<void> => {
        if (batch.length === 0) return;
        await work(step, batch, `${number}:${seen}`);
        this.#progress({ phase, done: this.#bytesBefore[number]! + batch.at(-1)!.end, total: this.#bytes });
        batch = [];
        bytes = 0;
      };
      for await (const record of this.#context.data.records(step.file, step.isIn)) {
        if (seen++ < skipped) continue;
        batch.push(record);
        bytes += record.bytes.length;
        if (batch.length >= LIMITS.migrationBatchRecords || bytes >= LIMITS.migrationBatchBytes)
          await finish();
      }
      await finish();
    }
    this.#progress({ phase, done: this.#bytes, total: this.#bytes });
  }

  async #write(step: ImportStep, batch: readonly LokiRecord[], next: MigrationRecord): Promise<void> {
    const { bodies } = this.#context;
    let isCommitted = false;
    try {
      const imports = await allOf(batch.map((record) => step.prepare(this.#context, record)));
      this.#orphans += await this.#store.write(async (write) => {
        bodies.begin();
        let orphans = 0;
        for (const one of imports as (Import | undefined)[])
          if ((await one?.write(write)) === "orphan") orphans++;
        write.put(MIGRATION_KEY, migrationRecord.pack(next));
        return orphans;
      });
      isCommitted = true;
    } catch (error) {
      if (error instanceof Refusal)
        throw new UnusableDirectory(`a record of ${batch[0]!.collection} is refused as ${error.code}`);
      throw error;
    } finally {
      bodies.end(isCommitted);
    }
  }

  async #compare(step: ImportStep, batch: readonly LokiRecord[]): Promise<void> {
    const compared: Comparison[] = await this.#store.read(async (read) => {
      const found: Comparison[] = [];
      for (const record of batch) found.push(await step.compare(this.#context, read, record));
      return found;
    });
    for (const one of compared) {
      const different = typeof one === "function" ? await one() : one;
      if (different !== undefined)
        throw new UnusableDirectory(`${different} differs from Azurite's data after it was imported`);
    }
  }
}

interface Position {
  readonly step: number;
  readonly records: number;
}

function parsePosition(text: string): Position {
  const [step = 0, records = 0] = text === "" ? [] : text.split(":").map(Number);
  return { step, records };
}

/** Waits for all, also when one fails: no body may be written while the store closes. */
async function allOf<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(promises);
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}
