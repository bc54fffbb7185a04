import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { monotonic, pause } from "../../src/base/clock.ts";
import { UnusableDirectory } from "../../src/base/faults.ts";
import { LIMITS, MIB } from "../../src/base/limits.ts";
import { seededRandom } from "../../src/base/random.ts";
import { silentLog } from "../../src/observability/log.ts";
import type { EmbeddedStore } from "../../src/store/embedded/embedded-store.ts";
import type { Key } from "../../src/store/kv.ts";
import { openRotten } from "./bit-rot.ts";

/**
 * Damages the journal of a store that ended without a checkpoint, in every class of position, and opens it:
 * every acknowledged commit is there, or the start is refused, or the log reports the last commit.
 */
export interface DamageStats {
  runs: number;
  refused: number;
  reported: number;
  /** The damage was where nothing is read. */
  whole: number;
  lost: number;
  troubles: string[];
}

interface Damage {
  readonly name: string;
  readonly apply: (directory: string) => void;
}

const BLOCK = 4_096;
const TRIES_MAX = 100;
const COMMITS = 6;
/** The first commit of the store has number 1. A power cut can leave the last one incomplete. */
const LAST_COMMIT = COMMITS + 1;
const names = ["journal-a", "journal-b"] as const;
const keyOf = (commit: number): Key => `k\0${commit}`;
/** Records of one block and of several. */
const recordOf = (commit: number): Buffer => seededRandom(commit).bytes(commit % 2 === 0 ? 300 : 9_000);

/** A store whose commits only the journal has: made again if the disk was so slow that a checkpoint began. */
async function makeTemplate(directory: string): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const working = `${directory}-working-${tries}`;
    const store = openRotten(working);
    await store.write(async (write) => write.put("k\0first", Buffer.from("checkpointed")));
    await pause(300);
    const from = monotonic();
    for (let commit = 0; commit < COMMITS; commit++)
      await store.write(async (write) => write.put(keyOf(commit), recordOf(commit)));
    const isQuick = monotonic() - from < LIMITS.checkpointMillis / 2;
    if (isQuick) cpSync(working, directory, { recursive: true });
    await store.close();
    rmSync(working, { recursive: true });
    if (isQuick) return;
  }
  throw new Error("the disk is too slow for commits without a checkpoint");
}

function flip(path: string, at: number, bit: number): void {
  const bytes = readFileSync(path);
  bytes[at]! ^= 1 << bit;
  writeFileSync(path, bytes);
}

interface RecordPlace {
  readonly at: number;
  readonly bytes: number;
  readonly isLast: boolean;
}

function recordsIn(path: string): RecordPlace[] {
  const bytes = readFileSync(path);
  const found: RecordPlace[] = [];
  for (let at = BLOCK; at + BLOCK <= bytes.length; at += BLOCK)
    if (bytes.readUInt32LE(at) === 0x4a_46_48_01) {
      const isLast = Number(bytes.readBigUInt64LE(at + 8)) === LAST_COMMIT;
      found.push({ at, bytes: 48 + bytes.readUInt32LE(at + 16), isLast });
    }
  return found;
}

function damages(template: string, other: string, steps: number): Damage[] {
  const all: Damage[] = [];
  for (const name of names) {
    const file = (directory: string): string => join(directory, name);
    const add = (what: string, apply: (path: string) => void): void => {
      all.push({ name: `${name}: ${what}`, apply: (directory) => apply(file(directory)) });
    };
    add("missing", (path) => rmSync(path));
    add("empty", (path) => truncateSync(path, 0));
    add("of another store", (path) => cpSync(join(other, name), path));
    for (const bytes of [1, 40, BLOCK, MIB / 2, MIB - 1])
      add(`cut to ${bytes}`, (path) => truncateSync(path, bytes));
    for (let at = 0; at < 48; at += steps) add(`header byte ${at}`, (path) => flip(path, at, at & 7));
    for (const [index, { at, bytes, isLast }] of recordsIn(file(template)).entries()) {
      for (let offset = 0; offset < 60; offset += steps)
        add(`record ${index} byte ${offset}`, (path) => flip(path, at + offset, offset & 7));
      for (let offset = 60; offset < bytes; offset += 331 * steps)
        add(`record ${index} byte ${offset}`, (path) => flip(path, at + offset, offset & 7));
      // The last record without its first block is as if it had never been written.
      for (let block = isLast ? 1 : 0; block * BLOCK < bytes; block++)
        add(`record ${index} without block ${block}`, (path) => {
          const content = readFileSync(path);
          content.fill(0, at + block * BLOCK, at + (block + 1) * BLOCK);
          writeFileSync(path, content);
        });
    }
  }
  return all;
}

/** `steps`: 1 for every position of headers. */
export async function runJournalDamage(directory: string, steps: number): Promise<DamageStats> {
  mkdirSync(directory, { recursive: true });
  const [template, other] = [join(directory, "template"), join(directory, "other")];
  await makeTemplate(template);
  await makeTemplate(other);
  const stats: DamageStats = { runs: 0, refused: 0, reported: 0, whole: 0, lost: 0, troubles: [] };
  for (const damage of damages(template, other, steps)) {
    // A new path for each: LMDB may not have closed the files of a refused start yet.
    const place = join(directory, `place-${stats.runs}`);
    cpSync(template, place, { recursive: true });
    damage.apply(place);
    await judge(place, damage.name, stats);
    rmSync(place, { recursive: true });
  }
  return stats;
}

async function judge(place: string, name: string, stats: DamageStats): Promise<void> {
  stats.runs++;
  let reported: unknown;
  const log = {
    ...silentLog,
    error: (fields: { commit?: unknown }) => {
      reported = fields.commit;
    },
  };
  let store: EmbeddedStore;
  try {
    store = openRotten(place, log);
  } catch (error) {
    if (!(error instanceof UnusableDirectory) || !/journal-[ab]/.test(error.message))
      stats.troubles.push(`${name}: ${(error as Error).message}`);
    stats.refused++;
    return;
  }
  const lost: number[] = [];
  await store.read(async (read) => {
    for (let commit = 0; commit < COMMITS; commit++)
      if ((await read.get(keyOf(commit)))?.equals(recordOf(commit)) !== true) lost.push(commit);
  });
  await store.close();
  if (lost.length === 0) stats.whole++;
  else if (lost.length === 1 && lost[0] === COMMITS - 1 && reported === LAST_COMMIT) stats.reported++;
  else {
    stats.lost += lost.length;
    stats.troubles.push(`${name}: lost ${lost.join(", ")} without a word`);
  }
}

export const isUndamaged = ({ lost, troubles }: DamageStats): boolean => lost === 0 && troubles.length === 0;

export function printDamage({ runs, refused, reported, whole, lost, troubles }: DamageStats): string {
  const ends = `${refused} starts refused, ${reported} last commits reported, ${whole} without effect`;
  const bad = troubles.length === 0 ? "" : `: ${troubles.slice(0, 5).join("; ")}`;
  return `${runs} damages, ${ends}, ${lost} lost without a word${bad}`;
}
