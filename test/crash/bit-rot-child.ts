import { cpSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { StorageFault, UnusableDirectory } from "../../src/base/faults.ts";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { silentLog } from "../../src/observability/log.ts";
import type { EmbeddedStore } from "../../src/store/embedded/embedded-store.ts";
import type { Key } from "../../src/store/kv.ts";
import { expectedRecords, openRotten, rot, type TrialReport } from "./bit-rot.ts";

/** Runs trials of the proof `bit-rot`, until one of them ends the process: see bit-rot.ts. */
const [directory, seed, from, to] = process.argv.slice(2) as [string, string, string, string];
const expected = expectedRecords();

interface Seen {
  faults: number;
  wrong: number;
  absent: number;
}

async function readEach(store: EmbeddedStore, seen: Seen): Promise<void> {
  for (const [key, value] of expected) {
    try {
      const found = await store.read(async (read) => read.get(key));
      if (found === undefined) seen.absent++;
      else if (!found.equals(value)) seen.wrong++;
    } catch {
      seen.faults++;
    }
  }
}

async function readRange(store: EmbeddedStore, seen: Seen): Promise<void> {
  const found = new Map<Key, Buffer>();
  try {
    await store.read(async (read) => {
      for await (const { key, value } of read.range({ from: "b", to: "c" })) found.set(key, value);
    });
  } catch {
    seen.faults++;
    return;
  }
  for (const [key, value] of found) if (expected.get(key)?.equals(value) !== true) seen.wrong++;
  for (const key of expected.keys()) if (!found.has(key)) seen.absent++;
}

async function runTrial(trial: number): Promise<TrialReport> {
  const random = seededRandom(Number(seed) + trial * 7_907);
  const place = join(directory, `trial-${trial}`);
  try {
    return await readRotten(place, trial, random);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function readRotten(place: string, trial: number, random: Random): Promise<TrialReport> {
  cpSync(join(directory, trial % 3 === 0 ? "dirty" : "clean"), place, { recursive: true });
  const flips = rot(place, random);
  const seen: Seen = { faults: 0, wrong: 0, absent: 0 };
  let isReported = false;
  const log = {
    ...silentLog,
    error: () => {
      isReported = true;
    },
  };
  let store: EmbeddedStore;
  try {
    store = openRotten(place, log);
  } catch (error) {
    const isExpected = error instanceof UnusableDirectory || error instanceof StorageFault;
    if (!isExpected && !/MDB_|lmdb/i.test(String(error))) throw error;
    return { trial, flips, ...seen, isRefused: true };
  }
  await readEach(store, seen);
  await readRange(store, seen);
  // The last record of the journal was lost, and the log says so.
  if (isReported) seen.absent = 0;
  await store.close().catch(() => {});
  return { trial, flips, ...seen, isRefused: false };
}

for (let trial = Number(from); trial < Number(to); trial++)
  writeSync(1, `${JSON.stringify(await runTrial(trial))}\n`);
process.exit(0);
