import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ConfigError } from "../base/config-error.ts";
import { openLog } from "../observability/log.ts";
import { storeChoiceOf } from "../process/offline-store.ts";
import { restore } from "../process/restore.ts";
import { showProgress } from "./progress.ts";

/** `holdfast restore --from DIR|FILE|- --to DIR|postgres://...` */
export async function restoreCommand(argv: readonly string[], cwd: string): Promise<void> {
  const { from, to } = readArguments(argv);
  const choice = storeChoiceOf(to, cwd);
  const { records, payloadBytes, findingCount, findings } = await restore({
    from: from === "-" ? { stream: process.stdin } : { path: resolve(cwd, from) },
    to: choice,
    scratch:
      choice.kind === "embedded"
        ? `${choice.directory}.restoring`
        : join(tmpdir(), `holdfast-restore-${process.pid}`),
    log: openLog({ level: "warn" }),
    progress: showProgress((phase) => (phase === "records" ? "records" : "bytes")),
  });
  if (process.stderr.isTTY) process.stderr.write("\n");
  if (findingCount > 0) {
    const first = findings[0]!;
    throw new Error(
      `the backup was restored, and ${findingCount} inconsistencies came with it (${first.kind}: ` +
        `${first.message}): run holdfast check for all of them`,
    );
  }
  process.stdout.write(`restored and verified: ${records} records, ${payloadBytes} bytes of payload\n`);
}

function readArguments(argv: readonly string[]): { readonly from: string; readonly to: string } {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: { from: { type: "string" }, to: { type: "string" } },
    });
    const { from, to } = values;
    if (from === undefined || to === undefined) throw new Error("--from and --to are required");
    return { from, to };
  } catch (error) {
    throw new ConfigError("restore", (error as Error).message);
  }
}
