import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { installMissing, thisSystem } from "../scripts/test/programs.ts";
import { drive, hasWrk, type Measured } from "./load.ts";
import { benchPostgres } from "./postgres.ts";
import { SMB_ROWS } from "./rows/smb.ts";
import { ROWS, type Row } from "./rows.ts";
import { type Contender, startAzurite, startBare, startHoldfast } from "./servers.ts";
import { signed } from "./sign.ts";
import { runSmbRows } from "./smb.ts";

/**
 * Rates of Holdfast beside a bare node:http server and Azurite, in one run on one machine. Machines are noisy,
 * so the servers take turns, round after round, and the median of the rounds' ratios is what counts.
 */
const { values: flags } = parseArgs({
  options: {
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
    only: { type: "string", multiple: true, default: [""] },
    workers: { type: "string", default: "1" },
    json: { type: "string", default: "bench/results/latest.json" },
    "no-azurite": { type: "boolean", default: false },
    /** Instead of the rows: one and two nodes on PostgreSQL. */
    postgres: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (flags.help) {
  console.log(`npm run bench -- [flags]
  --only TEXT        the rows with this text in their names; may be given several times
  --rounds N         turns of each server, of which the median counts (3)
  --seconds N        length of a turn (4)
  --connections N    (64)
  --workers N        of Holdfast (1)
  --json FILE        where the results go (bench/results/latest.json)
  --no-azurite       beside bare node:http only
  --postgres         instead of the rows: one and two nodes on PostgreSQL`);
  process.exit(0);
}
const WRK = { program: "wrk", pack: "wrk", why: "a load that leaves more of the machine to the server" };
const seconds = Number(flags.seconds);
const rounds = Number(flags.rounds);
const connections = Number(flags.connections);

if (flags.postgres) {
  await benchPostgres({ seconds, connections });
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

/** What a row is called in print and by --only: "queue:" is all rows of that service. */
function titleOf({ service, name }: Row): string {
  return `${service}: ${name}`;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >>> 1]!;
}

async function measure(row: Row, contender: Contender, isRehearsal = false): Promise<Measured> {
  const options = { connections, seconds: isRehearsal ? 1 : seconds };
  const measured =
    row.run === undefined ? await request(row, contender, options) : await row.run(contender, options);
  if (measured.errors > 0) console.log(`  ${contender.name}: ${measured.errors} failed requests`);
  return measured;
}

function request(
  row: Row,
  contender: Contender,
  options: { readonly connections: number; readonly seconds: number },
): Promise<Measured> {
  const port = contender.ports[row.service];
  const requests = row.requests().map((request) => signed({ ...request, service: row.service }, port));
  return drive({ port, requests, ...options });
}

async function runRow(row: Row): Promise<Result> {
  // What was written before, by an install or by the row above, would reach the disk in between this row's syncs.
  spawnSync("sync");
  const bare = await startBare(row.replyBytes);
  const holdfast = await startHoldfast(["--workers", flags.workers]);
  try {
    await prepare(holdfast, row);
    for (const contender of [bare, holdfast]) await measure(row, contender, true);
    const taken: { bare: Measured; holdfast: Measured }[] = [];
    for (let round = 0; round < rounds; round++) {
      taken.push({ bare: await measure(row, bare), holdfast: await measure(row, holdfast) });
    }
    const theirs = row.azurite && !flags["no-azurite"] ? await rateOfAzurite(row) : undefined;
    const ofBare = median(taken.map((round) => round.holdfast.perSecond / round.bare.perSecond));
    const ours = median(taken.map((round) => round.holdfast.perSecond));
    const overAzurite = theirs === undefined ? undefined : ours / theirs;
    return {
      name: titleOf(row),
      bare: median(taken.map((round) => round.bare.perSecond)),
      holdfast: ours,
      azurite: theirs,
      ofBare,
      overAzurite,
      p50Millis: median(taken.map((round) => round.holdfast.p50Millis)),
      p99Millis: median(taken.map((round) => round.holdfast.p99Millis)),
      isReached:
        ofBare >= row.target.ofBare &&
        (overAzurite ?? Number.POSITIVE_INFINITY) >= (row.target.overAzurite ?? 0),
    };
  } finally {
    await Promise.all([bare.stop(), holdfast.stop()]);
  }
}

/** Started when the others are done: it works while nobody asks it for anything, and they would pay for that. */
async function rateOfAzurite(row: Row): Promise<number | undefined> {
  const azurite = await startAzurite();
  if (azurite === undefined) return undefined;
  try {
    await prepare(azurite, row);
    await measure(row, azurite, true);
    const taken: number[] = [];
    for (let round = 0; round < rounds; round++) taken.push((await measure(row, azurite)).perSecond);
    return median(taken);
  } finally {
    await azurite.stop();
  }
}

async function prepare(contender: Contender, row: Row): Promise<void> {
  const port = contender.ports[row.service];
  for (const request of row.prepare ?? []) {
    const raw = signed({ ...request, service: row.service }, port);
    const measured = await drive({ port, requests: [raw], connections: 1, seconds: 1 });
    if (measured.perSecond === 0)
      throw new Error(`${contender.name} did not take ${request.method} ${request.path}`);
  }
}

const isWanted = (name: string): boolean =>
  flags.only.some((text) => name.toLowerCase().includes(text.toLowerCase()));
const rows = ROWS.filter((row) => isWanted(titleOf(row)));
const smbRows = SMB_ROWS.filter(({ name }) => isWanted(name));
if (rows.length === 0 && smbRows.length === 0) {
  console.error(`no row has "${flags.only.join('" or "')}" in its name; the rows are:`);
  for (const name of [...ROWS.map(titleOf), ...SMB_ROWS.map(({ name }) => name)]) console.error(`  ${name}`);
  process.exit(2);
}
console.log(`programs: ${installMissing([WRK], thisSystem)}`);
console.log(
  `${rows.length} rows, ${rounds} rounds of ${seconds} s, ${connections} connections, load from ${hasWrk() ? "wrk" : "Node.js"}\n`,
);
const results: Result[] = [];
for (const row of rows) {
  const result = await runRow(row);
  results.push(result);
  console.log(printResult(result, row));
}
const smb = await runSmbRows(smbRows, rounds);
mkdirSync("bench/results", { recursive: true });
writeFileSync(
  flags.json,
  `${JSON.stringify({ node: process.version, seconds, rounds, connections, results, smb }, null, 2)}\n`,
);
console.log(`\nwritten to ${flags.json}`);

function printResult(result: Result, { target }: Row): string {
  const whole = (value: number): string => Math.round(value).toLocaleString("en-US").padStart(8);
  const azurite =
    result.azurite === undefined
      ? ""
      : `  azurite ${whole(result.azurite)}/s  ${result.overAzurite!.toFixed(1)}x`;
  const aim = `aim ${target.ofBare}${target.overAzurite === undefined ? "" : ` and ${target.overAzurite}x`}`;
  return (
    `${result.name.padEnd(50)} bare ${whole(result.bare)}/s  holdfast ${whole(result.holdfast)}/s  ` +
    `ratio ${result.ofBare.toFixed(2)} (${aim}${result.isReached ? "" : ", MISSED"})` +
    `  p50 ${result.p50Millis.toFixed(2)} ms  p99 ${result.p99Millis.toFixed(2)} ms${azurite}`
  );
}
