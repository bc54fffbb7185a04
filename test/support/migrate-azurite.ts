import { cpSync } from "node:fs";
import { join } from "node:path";
import { runProgram, startProgram } from "../kit/program.ts";
import { launchAzurite } from "./azurite.ts";
import { type Description, describeAccount, differences } from "./describe-account.ts";
import { FILL_HIDES_SECONDS, fillAccount } from "./fill-account.ts";

/**
 * What a migration cannot keep. Our ids and receipts of messages and our ETags of blobs mean something to the
 * server; entities keep theirs.
 */
const CHANGED = new Set(["messageId", "popReceipt"]);

export interface MigrateAzurite {
  readonly directory: string;
  readonly objects: number;
  readonly seed: number;
  progress(text: string): void;
}

export interface MigratedAzurite {
  readonly objects: number;
  readonly differences: readonly string[];
  /** What the command printed. */
  readonly output: string;
  readonly code: number | null;
}

/** Fills an Azurite, migrates its data with the command, and compares both servers through the SDKs. */
export async function migrateAzurite(options: MigrateAzurite): Promise<MigratedAzurite> {
  const { directory, objects, seed, progress } = options;
  const [original, copy] = [join(directory, "azurite"), join(directory, "holdfast")];
  const filled = await launchAzurite(original);
  try {
    progress(`filling Azurite with ${objects} blobs, messages and entities`);
    await fillAccount({ connectionString: filled.connectionString, objects, seed });
  } finally {
    await filled.stop();
  }
  const filledAt = Date.now();
  cpSync(original, join(directory, "before"), { recursive: true });
  progress("migrating");
  const migrated = await runProgram(["migrate", "--from", `azurite:${original}`, "--to", copy]);
  const output = migrated.stdout + migrated.stderr;
  if (migrated.code !== 0) return { objects: 0, differences: [], output, code: migrated.code };
  await new Promise((resolve) => setTimeout(resolve, filledAt + 1_000 * FILL_HIDES_SECONDS - Date.now()));
  progress("comparing");
  const expected = await describe(original);
  const found = await describeHoldfast(copy);
  return { objects: expected.size, differences: differences(expected, found), output, code: 0 };
}

async function describe(original: string): Promise<Description> {
  const azurite = await launchAzurite(original);
  try {
    return await describeAccount(azurite.connectionString, { ignored: CHANGED });
  } finally {
    await azurite.stop();
  }
}

async function describeHoldfast(directory: string): Promise<Description> {
  const holdfast = await startProgram(["--location", directory]);
  try {
    return await describeAccount(holdfast.connectionString, { ignored: CHANGED });
  } finally {
    await holdfast.stop();
  }
}
