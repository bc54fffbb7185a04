import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { pause, systemClock, systemTimers } from "../../src/base/clock.ts";
import { type Random, seededRandom } from "../../src/base/random.ts";
import type { Log } from "../../src/observability/log.ts";
import { EmbeddedStore } from "../../src/store/embedded/embedded-store.ts";
import { packKey } from "../../src/store/keys/pack.ts";
import type { Key } from "../../src/store/kv.ts";
import { MemorySpace } from "../../src/store/memory/memory-store.ts";

/** Flips bits in a copy of a store and reads all of it: what it gives must be right, or it must say so. */
export interface RotStats {
  runs: number;
  flips: number;
  /** Records whose read was a fault. */
  faults: number;
  /** Starts that were refused, and processes that the damage has ended. */
  refused: number;
  crashed: number;
  /** Reads that gave other bytes: must stay 0. */
  wrong: number;
  /** Reads that did not find a record. The pages of LMDB have no checksums, so that a few can happen. */
  absent: number;
  troubles: string[];
}

/** What one trial found, as the child prints it. */
export interface TrialReport {
  readonly trial: number;
  readonly flips: number;
  readonly faults: number;
  readonly wrong: number;
  readonly absent: number;
  readonly isRefused: boolean;
}

const CHILD = fileURLToPath(new URL("./bit-rot-child.ts", import.meta.url));
const RECORDS = 1_500;
const JOURNALED = 40;
const FLIPS_MAX = 500;
const SILENT_MILLIS_MAX = 30_000;

/** The records of the store, each with a value that only its number gives. */
export function expectedRecords(): Map<Key, Buffer> {
  const random = seededRandom(27);
  const records = new Map<Key, Buffer>();
  for (let i = 0; i < RECORDS + JOURNALED; i++) {
    const key = packKey(["b", "account", `container-${i % 7}`, `blob-${i * 7_919}`]);
    records.set(key, random.bytes(Math.floor(random.fraction() ** 6 * 12_000)));
  }
  return records;
}

export const openRotten = (directory: string, log?: Log): EmbeddedStore =>
  new EmbeddedStore({
    directory,
    owner: "test",
    ephemeral: new MemorySpace(systemClock),
    ...(log === undefined ? {} : { log }),
    onFatal: (error) => {
      throw error;
    },
  });

/** A store that was closed, and one that ended with commits which only its journal has. */
async function makeTemplates(directory: string): Promise<void> {
  const working = join(directory, "working");
  const records = [...expectedRecords()];
  const store = openRotten(working);
  const put = (entries: readonly [Key, Buffer][]): Promise<void> =>
    store.write(async (write) => {
      for (const [key, value] of entries) write.put(key, value);
    });
  for (let at = 0; at < RECORDS; at += 100) await put(records.slice(at, Math.min(at + 100, RECORDS)));
  await pause(300);
  for (let at = RECORDS; at < records.length; at += 10) await put(records.slice(at, at + 10));
  cpSync(working, join(directory, "dirty"), { recursive: true });
  await store.close();
  cpSync(working, join(directory, "clean"), { recursive: true });
}

/** Between 1 and 500 bits, mostly few, in the files of a store. */
export function rot(directory: string, random: Random): number {
  const count = Math.max(1, Math.floor(FLIPS_MAX ** random.fraction()));
  const names = readdirSync(directory).filter((name) => !name.endsWith("-lock"));
  const files = names.map((name) => ({
    path: join(directory, name),
    bytes: readFileSync(join(directory, name)),
  }));
  for (let flip = 0; flip < count; flip++) {
    const isRecords = random.fraction() < 0.8;
    const chosen = files.filter(({ path }) => path.endsWith("records.mdb") === isRecords);
    const { bytes } = chosen[Math.floor(random.fraction() * chosen.length)] ?? files[0]!;
    // Most of a journal is empty.
    const length = isRecords ? bytes.length : Math.floor(bytes.length * random.fraction() ** 3);
    bytes[Math.floor(random.fraction() * length)]! ^= 1 << Math.floor(random.fraction() * 8);
  }
  for (const { path, bytes } of files) writeFileSync(path, bytes);
  return count;
}

export interface RotOptions {
  readonly runs: number;
  readonly seed: number;
  readonly directory: string;
  readonly progress?: (text: string) => void;
}

export async function runBitRot({
  runs,
  seed,
  directory,
  progress = () => {},
}: RotOptions): Promise<RotStats> {
  mkdirSync(directory, { recursive: true });
  await makeTemplates(directory);
  const stats: RotStats = {
    ...{ runs: 0, flips: 0, faults: 0, refused: 0, crashed: 0, wrong: 0, absent: 0 },
    troubles: [],
  };
  // LMDB trusts its pages, so damage can end the process: the next one continues after that trial.
  for (let next = 0; next < runs; ) {
    const { reports, isHung } = await runChild(directory, { seed, from: next, to: runs });
    for (const report of reports) add(stats, report, seed);
    next += reports.length;
    if (next >= runs) break;
    if (isHung) stats.troubles.push(`trial ${next} of seed ${seed} did not end`);
    else stats.crashed++;
    stats.runs++;
    next++;
    progress(printRot(stats));
  }
  return stats;
}

function add(stats: RotStats, report: TrialReport, seed: number): void {
  stats.runs++;
  stats.flips += report.flips;
  stats.faults += report.faults;
  stats.wrong += report.wrong;
  stats.absent += report.absent;
  if (report.isRefused) stats.refused++;
  if (report.wrong > 0 && stats.troubles.length < 5)
    stats.troubles.push(`trial ${report.trial} of seed ${seed}: ${report.wrong} wrong`);
}

interface Trials {
  readonly seed: number;
  readonly from: number;
  readonly to: number;
}

async function runChild(
  directory: string,
  { seed, from, to }: Trials,
): Promise<{ reports: TrialReport[]; isHung: boolean }> {
  const child = spawn(
    process.execPath,
    ["--import", "tsx", CHILD, directory, String(seed), String(from), String(to)],
    {
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  const reports: TrialReport[] = [];
  let isHung = false;
  const stop = (): void => {
    isHung = true;
    child.kill("SIGKILL");
  };
  let timer = systemTimers.after(SILENT_MILLIS_MAX, stop);
  for await (const line of createInterface({ input: child.stdout })) {
    reports.push(JSON.parse(line) as TrialReport);
    timer.cancel();
    timer = systemTimers.after(SILENT_MILLIS_MAX, stop);
  }
  timer.cancel();
  return { reports, isHung };
}

/** Without the check of absences there are two in each run. */
const RUNS_FOR_EACH_ABSENT = 30;

export const isRotClean = ({ runs, wrong, absent, troubles }: RotStats): boolean =>
  wrong === 0 && absent <= Math.ceil(runs / RUNS_FOR_EACH_ABSENT) && troubles.length === 0;

export function printRot({
  runs,
  flips,
  faults,
  refused,
  crashed,
  wrong,
  absent,
  troubles,
}: RotStats): string {
  const ends = `${faults} reads failed, ${refused} starts refused, ${crashed} processes ended`;
  const bad = troubles.length === 0 ? "" : `: ${troubles.join("; ")}`;
  return `${runs} runs, ${flips} bits flipped, ${ends}, ${wrong} wrong, ${absent} falsely absent${bad}`;
}
