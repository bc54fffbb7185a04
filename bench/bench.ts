import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { installMissing, thisSystem } from "../scripts/test/programs.ts";
import {
  type BaseResult,
  LEAST_OF_BASE,
  printBaseResult,
  printVerdict,
  programOfBase,
  runRowAgainstBase,
} from "./against-base.ts";
import { hasWrk, type Measured } from "./load.ts";
import { measure, median, prepare, printRate, titleOf, warmUp } from "./measure.ts";
import { benchPostgres } from "./postgres.ts";
import { SMB_ROWS } from "./rows/smb.ts";
import { ROWS, type Row } from "./rows.ts";
import { startAzurite, startBare, startHoldfast } from "./servers.ts";
import { runSmbRows, runSmbRowsAgainstBase } from "./smb.ts";

/**
 * Rates of Holdfast beside a bare node:http server and Azurite, in one run on one machine. Machines are
 * noisy, so the benchmark drives the servers alternately, round after round, and reports the median of the
 * rounds' ratios.
 */
const { values: flags } = parseArgs({
  options: {
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
    only: { type: "string", multiple: true, default: [""] },
    workers: { type: "string", default: "1" },
    base: { type: "string" },
    json: { type: "string" },
    "no-azurite": { type: "boolean", default: false },
    postgres: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (flags.help) {
  console.log(`npm run bench -- [flags]

Measures Holdfast, a bare node:http server and Azurite (SMB rows: Samba) on this machine.

  --only TEXT        run the rows whose names contain TEXT; repeat the flag for more rows
  --rounds N         rounds for each server; the median counts (3)
  --seconds N        length of one round (4)
  --connections N    client connections (64)
  --workers N        worker processes of Holdfast (1)
  --base DIR         compare this build with the build in DIR instead (see below)
  --json FILE        where to write the results (bench/results/latest.json; with --base base.json there)
  --no-azurite       skip Azurite
  --postgres         instead of the rows: one and two members on one PostgreSQL database
  --help             print this text

--base DIR starts the build in DIR and this build for each row, drives them alternately, swaps their order
every round, and prints the median of the ratios new/base. DIR is a built checkout or its dist directory. The
exit code is 1 when a row stays below ${LEAST_OF_BASE}. Use an odd number of rounds, and more of them for noisy rows:

  npm run bench -- --base ../holdfast-1.0 --rounds 5 --only "GET blob 1 KiB" --only "queue:"`);
  process.exit(0);
}
const WRK = { program: "wrk", pack: "wrk", why: "a load that leaves more of the machine to the server" };
const rounds = Number(flags.rounds);
const options = { connections: Number(flags.connections), seconds: Number(flags.seconds) };

if (flags.postgres) {
  await benchPostgres(options);
  process.exit(0);
}

interface Result {
  readonly name: string;
  readonly bare: number;
  readonly holdfast: number;
  readonly azurite: number | undefined;
  readonly ofBare: number;
  readonly overAzurite: number | undefined;
  readonly p50Millis: number;
  readonly p99Millis: number;
  readonly isReached: boolean;
}

async function runRow(row: Row): Promise<Result> {
  // Unsynced writes of an install or of the row before would reach the disk between the syncs of this row.
  spawnSync("sync");
  const bare = await startBare(row.replyBytes);
  const holdfast = await startHoldfast({ flags: ["--workers", flags.workers] });
  try {
    await prepare(holdfast, row);
    for (const contender of [bare, holdfast]) await warmUp(row, contender, options);
    const measured: { bare: Measured; holdfast: Measured }[] = [];
    for (let round = 0; round < rounds; round++) {
      measured.push({
        bare: await measure(row, bare, options),
        holdfast: await measure(row, holdfast, options),
      });
    }
    const theirs = row.azurite && !flags["no-azurite"] ? await rateOfAzurite(row) : undefined;
    const ofBare = median(measured.map((round) => round.holdfast.perSecond / round.bare.perSecond));
    const ours = median(measured.map((round) => round.holdfast.perSecond));
    const overAzurite = theirs === undefined ? undefined : ours / theirs;
    return {
      name: titleOf(row),
      bare: median(measured.map((round) => round.bare.perSecond)),
      holdfast: ours,
      azurite: theirs,
      ofBare,
      overAzurite,
      p50Millis: median(measured.map((round) => round.holdfast.p50Millis)),
      p99Millis: median(measured.map((round) => round.holdfast.p99Millis)),
      isReached:
        ofBare >= row.target.ofBare &&
        (overAzurite ?? Number.POSITIVE_INFINITY) >= (row.target.overAzurite ?? 0),
    };
  } finally {
    await Promise.all([bare.stop(), holdfast.stop()]);
  }
}

/** Runs after the other servers: Azurite uses the processor while idle, which would slow them down. */
async function rateOfAzurite(row: Row): Promise<number | undefined> {
  const azurite = await startAzurite();
  if (azurite === undefined) return undefined;
  try {
    await prepare(azurite, row);
    await warmUp(row, azurite, options);
    const rates: number[] = [];
    for (let round = 0; round < rounds; round++) rates.push((await measure(row, azurite, options)).perSecond);
    return median(rates);
  } finally {
    await azurite.stop();
  }
}

const isSelected = (name: string): boolean =>
  flags.only.some((text) => name.toLowerCase().includes(text.toLowerCase()));
const rows = ROWS.filter((row) => isSelected(titleOf(row)));
const smbRows = SMB_ROWS.filter(({ name }) => isSelected(name));
if (rows.length === 0 && smbRows.length === 0) {
  console.error(`no row has "${flags.only.join('" or "')}" in its name; the rows are:`);
  for (const name of [...ROWS.map(titleOf), ...SMB_ROWS.map(({ name }) => name)]) console.error(`  ${name}`);
  process.exit(2);
}
const base = flags.base === undefined ? undefined : programOfBase(flags.base);
if (flags.base !== undefined && base === undefined) {
  console.error(`--base ${flags.base} has no dist/cli/holdfast.js; run npm run build there`);
  process.exit(2);
}
console.log(`programs: ${installMissing([WRK], thisSystem)}`);
console.log(
  `${rows.length + smbRows.length} rows, ${rounds} rounds of ${options.seconds} s, ` +
    `${options.connections} connections, load from ${hasWrk() ? "wrk" : "Node.js"}\n`,
);
if (base === undefined) {
  const results: Result[] = [];
  for (const row of rows) {
    const result = await runRow(row);
    results.push(result);
    console.log(printResult(result, row));
  }
  const smb = await runSmbRows(smbRows, rounds);
  writeResults(flags.json ?? "bench/results/latest.json", { results, smb });
} else {
  const results: BaseResult[] = [];
  for (const row of rows) {
    const launch = { program: base, flags: ["--workers", flags.workers], rounds };
    const result = await runRowAgainstBase(row, launch, options);
    results.push(result);
    console.log(printBaseResult(result));
  }
  const smb = await runSmbRowsAgainstBase(smbRows, { rounds, program: base });
  const isHeld = printVerdict([...results, ...smb]);
  writeResults(flags.json ?? "bench/results/base.json", { base, results, smb });
  if (!isHeld) process.exitCode = 1;
}

function writeResults(file: string, results: object): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    `${JSON.stringify({ node: process.version, ...options, rounds, ...results }, null, 2)}\n`,
  );
  console.log(`\nwritten to ${file}`);
}

function printResult(result: Result, { target }: Row): string {
  const azurite =
    result.azurite === undefined
      ? ""
      : `  azurite ${printRate(result.azurite)}/s  ${result.overAzurite!.toFixed(1)}x`;
  const aim = `target ${target.ofBare}${target.overAzurite === undefined ? "" : ` and ${target.overAzurite}x`}`;
  return (
    `${result.name.padEnd(50)} bare ${printRate(result.bare)}/s  holdfast ${printRate(result.holdfast)}/s  ` +
    `ratio ${result.ofBare.toFixed(2)} (${aim}${result.isReached ? "" : ", MISSED"})` +
    `  p50 ${result.p50Millis.toFixed(2)} ms  p99 ${result.p99Millis.toFixed(2)} ms${azurite}`
  );
}
