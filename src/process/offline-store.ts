import { resolve } from "node:path";
import { systemRandom } from "../base/random.ts";
import type { Log } from "../observability/log.ts";
import { isDatabaseAddress, parseDatabaseAddress } from "../store/postgres/address.ts";
import { dataDirectoryAt, openDataDirectory } from "./data-directory.ts";
import type { StoreChoice } from "./options.ts";
import { Runtime } from "./runtime.ts";

/** A directory or a `postgres://` address; a relative directory is resolved against `cwd`. */
export function storeChoiceOf(place: string, cwd: string): StoreChoice {
  if (!isDatabaseAddress(place)) return { kind: "embedded", directory: dataDirectoryAt(resolve(cwd, place)) };
  parseDatabaseAddress(place);
  return { kind: "postgres", address: place };
}

export interface OfflineStore {
  readonly runtime: Runtime;
  close(): Promise<void>;
}

export interface OfflineOptions {
  /** Also a store with an unfinished migration. */
  readonly isMigrating?: boolean;
  /** False for a command that looks at the store as a crash left it. */
  readonly isRecovered?: boolean;
}

/**
 * Opens a store that no server uses, for a command. It recovers from a crash as a server would, unless the
 * command says that it looks at the store as it is. The lock of a directory keeps servers out meanwhile; a
 * database must have no other member.
 */
export async function openOffline(
  choice: StoreChoice,
  command: string,
  log: Log,
  { isMigrating = false, isRecovered = true }: OfflineOptions = {},
): Promise<OfflineStore> {
  const directory = choice.kind === "embedded" ? await openDataDirectory(choice.directory) : undefined;
  let runtime: Runtime | undefined;
  const close = async (): Promise<void> => {
    try {
      await runtime?.close();
    } finally {
      await directory?.release();
    }
  };
  try {
    runtime = new Runtime({ choice, owner: ownerOf(command), log, onFatal: fail });
    await (isRecovered ? runtime.recoverAll({ isMigrating }) : runtime.opened());
    await runtime.waitUntilAlone();
    return { runtime, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export const ownerOf = (command: string): string => `${command}-${process.pid}-${systemRandom.uuid()}`;

export function fail(error: unknown): never {
  throw error;
}
