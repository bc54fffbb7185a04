import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { ConfigError } from "../base/config-error.ts";
import { MIB } from "../base/limits.ts";
import { openLog } from "../observability/log.ts";
import { type BackupPlace, backup } from "../process/backup.ts";
import { storeChoiceOf } from "../process/offline-store.ts";
import { refuseMissing } from "./check-command.ts";
import { showProgress } from "./progress.ts";

/** `holdfast backup [DIR|postgres://...] --to DIR|FILE|- [--since DIR] [--rate MIB]` */
export async function backupCommand(argv: readonly string[], cwd: string): Promise<void> {
  const { place, to, since, rate } = readArguments(argv);
  const from = storeChoiceOf(place, cwd);
  refuseMissing(from);
  const { records, extents, payloadBytes, copiedBytes } = await backup({
    from,
    to: placeOf(to, since, cwd),
    rate: rate === undefined ? undefined : rate * MIB,
    log: openLog({ level: "warn" }),
    progress: showProgress(() => "bytes"),
  });
  if (process.stderr.isTTY) process.stderr.write("\n");
  // Standard output may be the backup.
  process.stderr.write(
    `backed up and verified: ${records} records, ${payloadBytes} bytes of payload in ${extents} extents; ` +
      `${copiedBytes} bytes copied\n`,
  );
}

interface Arguments {
  readonly place: string;
  readonly to: string;
  readonly since: string | undefined;
  readonly rate: number | undefined;
}

function readArguments(argv: readonly string[]): Arguments {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: { to: { type: "string" }, since: { type: "string" }, rate: { type: "string" } },
      allowPositionals: true,
    });
    const { to, since } = values;
    if (to === undefined) throw new Error("--to requires a directory, a file that ends in .tar, or -");
    if (positionals.length > 1) throw new Error("expected at most one directory or postgres:// address");
    const rate = values.rate === undefined ? undefined : Number(values.rate);
    if (rate !== undefined && !(rate > 0)) throw new Error("--rate requires a number of MiB a second");
    return { place: positionals[0] ?? ".holdfast", to, since, rate };
  } catch (error) {
    throw new ConfigError("backup", (error as Error).message);
  }
}

/** A name that ends in .tar is a file, - is standard output, and all else a directory. */
function placeOf(to: string, since: string | undefined, cwd: string): BackupPlace {
  const isFile =
    to.endsWith(".tar") && !(existsSync(resolve(cwd, to)) && statSync(resolve(cwd, to)).isDirectory());
  if (since !== undefined && (to === "-" || isFile))
    throw new ConfigError("--since", "only a backup into a directory can build on an earlier one");
  if (to === "-") return { kind: "stream", out: process.stdout };
  const path = resolve(cwd, to);
  if (isFile) return { kind: "file", path };
  return { kind: "directory", path, earlier: since === undefined ? undefined : resolve(cwd, since) };
}
