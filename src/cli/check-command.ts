import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ConfigError } from "../base/config-error.ts";
import { openLog } from "../observability/log.ts";
import { openOffline, storeChoiceOf } from "../process/offline-store.ts";
import type { StoreChoice } from "../process/options.ts";
import { type CheckReport, check, checkAndRepair } from "../services/integrity/check.ts";
import type { Finding } from "../services/integrity/check-records.ts";
import { showProgress } from "./progress.ts";

/** `holdfast check [DIR|postgres://...] [--repair] [--json]`; exit code 1 when something is wrong. */
export async function checkCommand(argv: readonly string[], cwd: string): Promise<void> {
  const { place, isRepair, isJson } = readArguments(argv);
  const choice = storeChoiceOf(place, cwd);
  refuseMissing(choice);
  const { runtime, close } = await openOffline(choice, "check", openLog({ level: "warn" }), {
    isRecovered: false,
  });
  try {
    const show = showProgress((phase) => (phase === "payload" ? "bytes" : "records"));
    const { payload } = runtime;
    const { report, repaired } = isRepair
      ? await checkAndRepair(payload, show)
      : { report: await check(payload, show), repaired: [] };
    if (process.stderr.isTTY) process.stderr.write("\n");
    process.stdout.write(isJson ? printJson(report, repaired) : printText(report, repaired));
    process.exitCode = report.findingCount === 0 ? 0 : 1;
  } finally {
    await close();
  }
}

function readArguments(argv: readonly string[]): {
  readonly place: string;
  readonly isRepair: boolean;
  readonly isJson: boolean;
} {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: { repair: { type: "boolean" }, json: { type: "boolean" } },
      allowPositionals: true,
    });
    if (positionals.length > 1) throw new Error("expected at most one directory or postgres:// address");
    const { repair: isRepair = false, json: isJson = false } = values;
    return { place: positionals[0] ?? ".holdfast", isRepair, isJson };
  } catch (error) {
    throw new ConfigError("check", (error as Error).message);
  }
}

/** Opening a directory creates it. */
export function refuseMissing(choice: StoreChoice): void {
  if (choice.kind !== "embedded" || existsSync(join(choice.directory, "holdfast.json"))) return;
  throw new ConfigError("check", `${choice.directory} is no data directory: it has no holdfast.json`);
}

function printText(report: CheckReport, repaired: readonly Finding[]): string {
  const lines = [...repaired.map((finding) => `repaired: ${printFinding(finding)}`)];
  for (const finding of report.findings) {
    const hint = finding.repair === undefined ? "" : " (--repair can fix it)";
    lines.push(`${printFinding(finding)}${hint}`);
  }
  const unlisted = report.findingCount - report.findings.length;
  if (unlisted > 0) lines.push(`and ${unlisted} more`);
  if (report.quarantined > 0) lines.push(`${report.quarantined} records are in quarantine`);
  const checked = `${report.records} records, ${report.payloadBytes} bytes of payload`;
  lines.push(
    `checked ${checked}: ${report.findingCount === 0 ? "all agree" : `${report.findingCount} findings`}`,
  );
  return `${lines.join("\n")}\n`;
}

const printFinding = ({ kind, what, key, message }: Finding): string =>
  `${kind}: ${what} ${printKey(key)}: ${message}`;

/** Keys contain numbers of 8 bytes: bytes that are not printable are shown in hexadecimal. */
function printKey(key: string): string {
  return key.replace(/[^\x21-\x7e]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

function printJson(report: CheckReport, repaired: readonly Finding[]): string {
  const shown = ({ kind, what, key, message, repair }: Finding): object => ({
    kind,
    what,
    key: Buffer.from(key, "latin1").toString("hex"),
    message,
    isRepairable: repair !== undefined,
  });
  const { records, payloadBytes, findingCount, quarantined } = report;
  const whole = { records, payloadBytes, findingCount, quarantined };
  return `${JSON.stringify({ ...whole, findings: report.findings.map(shown), repaired: repaired.map(shown) })}\n`;
}
