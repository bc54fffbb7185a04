import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "./base/clock.ts";
import { UnusableDirectory } from "./base/faults.ts";
import type { StoreChoice } from "./options.ts";
import { EmbeddedStore } from "./store/embedded/embedded-store.ts";
import type { Store } from "./store/kv.ts";
import { MemoryStore } from "./store/memory/memory-store.ts";
import type { WriteTurn } from "./store/serial-writer.ts";

/** The only place, with main, that names an engine. */
export interface OpenStore {
  readonly choice: StoreChoice;
  readonly owner: string;
  readonly clock: Clock;
  readonly turns?: { readonly records: WriteTurn; readonly ephemeral: WriteTurn } | undefined;
  readonly onFatal: (error: unknown) => void;
}

export function openStore({ choice, owner, clock, turns, onFatal }: OpenStore): Store {
  if (choice.kind === "memory") return new MemoryStore({ clock, owner });
  const directory = recordsDirectory(choice.directory);
  refuseWithoutRecords(choice.directory);
  try {
    return new EmbeddedStore({ directory, owner, clock, onFatal, ...(turns === undefined ? {} : { turns }) });
  } catch (error) {
    if (error instanceof UnusableDirectory) throw error;
    throw new UnusableDirectory(`the records in ${directory} cannot be opened: ${(error as Error).message}`);
  }
}

/** Payload without its records: starting would take every extent for a stray and remove it. */
function refuseWithoutRecords(dataDirectory: string): void {
  const records = join(recordsDirectory(dataDirectory), "records.mdb");
  if (existsSync(records) || !hasEntries(join(dataDirectory, "extents"))) return;
  throw new UnusableDirectory(`${records} is missing, but there is payload beside it`);
}

function hasEntries(directory: string): boolean {
  return existsSync(directory) && readdirSync(directory).length > 0;
}

export function recordsDirectory(dataDirectory: string): string {
  return join(dataDirectory, "records");
}

/** What the processes of an earlier run held is gone with them. Called before the first process opens the store. */
export function forgetEphemeral(choice: StoreChoice): void {
  if (choice.kind === "memory") return;
  for (const name of ["ephemeral.mdb", "ephemeral.mdb-lock"]) {
    rmSync(join(recordsDirectory(choice.directory), name), { force: true });
  }
}
