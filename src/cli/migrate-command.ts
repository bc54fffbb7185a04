import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { ConfigError } from "../base/config-error.ts";
import { openLog } from "../observability/log.ts";
import { importAzurite } from "../process/azurite/import-azurite.ts";
import { type MigrationStep, migrate } from "../process/migrate.ts";
import { storeChoiceOf } from "../process/offline-store.ts";
import type { StoreChoice } from "../process/options.ts";
import { showProgress } from "./progress.ts";

/** `holdfast migrate --from DIR|postgres://...|azurite:DIR --to DIR|postgres://...` */
export async function migrateCommand(argv: readonly string[], cwd: string): Promise<void> {
  const { from, to } = readArguments(argv);
  const show = showProgress(unitOf);
  if (from?.startsWith(AZURITE)) {
    await importCommand(resolve(cwd, from.slice(AZURITE.length)), choiceOf("--to", to, cwd), show);
    return;
  }
  const { records, payloadBytes } = await migrate({
    from: choiceOf("--from", from, cwd),
    to: choiceOf("--to", to, cwd),
    log: openLog({ level: "warn" }),
    progress: show,
  });
  process.stderr.write("\n");
  process.stdout.write(`migrated and verified: ${records} records, ${payloadBytes} bytes of payload\n`);
}

const AZURITE = "azurite:";

async function importCommand(
  directory: string,
  to: StoreChoice,
  progress: (step: MigrationStep) => void,
): Promise<void> {
  const log = openLog({ level: "warn" });
  const { records, orphans } = await importAzurite({ directory, to, log, progress });
  process.stderr.write("\n");
  if (orphans > 0)
    process.stdout.write(`left out: ${orphans} records without their container, queue or table\n`);
  process.stdout.write(`imported and verified: ${records} records of Azurite\n`);
}

function readArguments(argv: readonly string[]): { from: string | undefined; to: string | undefined } {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: { from: { type: "string" }, to: { type: "string" } },
    });
    return { from: values.from, to: values.to };
  } catch (error) {
    throw new ConfigError("migrate", (error as Error).message);
  }
}

function choiceOf(flag: string, place: string | undefined, cwd: string): StoreChoice {
  if (place === undefined) throw new ConfigError(flag, "expected a directory or a postgres:// address");
  return storeChoiceOf(place, cwd);
}

/** Azurite's files are read several times: their bytes say nothing to a reader. */
function unitOf(phase: string): string | undefined {
  if (phase === "import" || phase === "compare") return undefined;
  return phase === "payload" ? "bytes" : "records";
}
