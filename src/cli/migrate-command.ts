import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { ConfigError } from "../base/config-error.ts";
import { openLog } from "../observability/log.ts";
import { importAzurite } from "../process/azurite/import-azurite.ts";
import { type MigrationStep, migrate } from "../process/migrate.ts";
import { storeChoiceOf } from "../process/offline-store.ts";
import type { StoreChoice } from "../process/options.ts";

/** `holdfast migrate --from DIR|postgres://...|azurite:DIR --to DIR|postgres://...` */
export async function migrateCommand(argv: readonly string[], cwd: string): Promise<void> {
  const { from, to } = readArguments(argv);
  const show = process.stderr.isTTY ? drawBar : printLines();
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

const BAR_CHARS = 30;

function printStep({ phase, done, total }: MigrationStep): string {
  const unit = phase === "payload" ? "bytes" : "records";
  if (total === undefined) return `${phase}: ${done} ${unit}`;
  const share = total === 0 ? 1 : done / total;
  const filled = "#".repeat(Math.round(share * BAR_CHARS)).padEnd(BAR_CHARS, ".");
  const bar = `${phase}: [${filled}] ${Math.floor(share * 100)}%`;
  // Azurite's files are read several times: their bytes say nothing to a reader.
  return phase === "import" || phase === "compare" ? bar : `${bar} of ${total} ${unit}`;
}

function drawBar(step: MigrationStep): void {
  process.stderr.write(`\r\x1b[K${printStep(step)}`);
}

/** Not a terminal: a line for each tenth, or for each 100,000 records while the total is unknown. */
function printLines(): (step: MigrationStep) => void {
  let last = "";
  return (step) => {
    const { phase, done, total } = step;
    const mark = `${phase} ${total === undefined ? Math.floor(done / 100_000) : Math.floor((done * 10) / (total || 1))}`;
    if (mark === last) return;
    last = mark;
    process.stderr.write(`${printStep(step)}\n`);
  };
}
