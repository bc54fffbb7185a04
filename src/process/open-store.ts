import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Clock, systemClock } from "../base/clock.ts";
import { UnusableDirectory } from "../base/faults.ts";
import type { Device } from "../extents/device.ts";
import { DiskDevice } from "../extents/disk-device.ts";
import { MemoryDevice } from "../extents/memory-device.ts";
import type { Log } from "../observability/log.ts";
import { EmbeddedStore } from "../store/embedded/embedded-store.ts";
import type { Store } from "../store/kv.ts";
import { MemorySpace, MemoryStore } from "../store/memory/memory-store.ts";
import { PostgresStore } from "../store/postgres/postgres-store.ts";
import type { WriteLock } from "../store/serial-writer.ts";
import type { StoreChoice } from "./options.ts";

export interface WriteLocks {
  readonly records: WriteLock;
  readonly ephemeral: WriteLock;
}

export interface OpenStore {
  readonly choice: StoreChoice;
  readonly owner: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Between processes that share an embedded store. */
  readonly writeLocks?: WriteLocks | undefined;
  readonly onFatal: (error: unknown) => void;
}

export function openStore({ choice, owner, clock, log, writeLocks, onFatal }: OpenStore): Store {
  if (choice.kind === "memory") return new MemoryStore({ clock, owner });
  if (choice.kind === "postgres") {
    // The members share the clock of the database; only a test replaces it.
    const own = clock === systemClock ? undefined : clock;
    return new PostgresStore({ address: choice.address, owner, clock: own, log, onFatal });
  }
  const directory = recordsDirectory(choice.directory);
  refuseWithoutRecords(choice.directory);
  try {
    // A single process keeps ephemeral records in memory, where a commit needs no call into LMDB.
    const sharing =
      writeLocks === undefined ? { ephemeral: new MemorySpace(clock, { isEager: true }) } : { writeLocks };
    return new EmbeddedStore({ directory, owner, clock, log, onFatal, ...sharing });
  } catch (error) {
    if (error instanceof UnusableDirectory) throw error;
    throw new UnusableDirectory(`the records in ${directory} cannot be opened: ${(error as Error).message}`);
  }
}

/** The device for the payload of this store. */
export function openDevice(choice: StoreChoice, store: Store): Device {
  if (choice.kind === "memory") return new MemoryDevice(choice.payloadBytesMax);
  if (store instanceof PostgresStore) return store.device;
  return DiskDevice.at(join((choice as { directory: string }).directory, "extents"));
}

/** Refuses payload without records: the reclaimer would remove every extent. */
function refuseWithoutRecords(dataDirectory: string): void {
  const records = join(recordsDirectory(dataDirectory), "records.mdb");
  if (existsSync(records) || !hasEntries(join(dataDirectory, "extents"))) return;
  throw new UnusableDirectory(
    `${records} is missing, but the directory has payload: restore the records first`,
  );
}

function hasEntries(directory: string): boolean {
  return existsSync(directory) && readdirSync(directory).length > 0;
}

function recordsDirectory(dataDirectory: string): string {
  return join(dataDirectory, "records");
}

/** Removes the ephemeral records of an earlier run. Called before the first process opens the store. */
export function forgetEphemeral(choice: StoreChoice): void {
  if (choice.kind !== "embedded") return;
  for (const name of ["ephemeral.mdb", "ephemeral.mdb-lock"]) {
    rmSync(join(recordsDirectory(choice.directory), name), { force: true });
  }
}
