import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pause } from "../../src/base/clock.ts";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { EmbeddedStore } from "../../src/store/embedded/embedded-store.ts";
import type { Reader } from "../../src/store/kv.ts";
import { temporaryDirectory } from "../contract/store/engines.ts";
import { bundleScript } from "../support/bundle.ts";
import { groupsOf, stepOf, storedStep, WRITERS, writerKey } from "./store-plan.ts";

export interface KillStats {
  kills: number;
  /** Kills that came before the store was open. */
  killedInOpen: number;
  acknowledged: number;
  /** Transactions in flight at a kill that turned out to be there, whole. */
  keptUnacknowledged: number;
  lost: number;
  torn: number;
  resurrected: number;
  repeatedRevisions: number;
  /** What else should not be: the first few, in words. */
  troubles: string[];
}

export interface KillOptions {
  readonly kills: number;
  readonly seed: number;
  readonly progress?: (text: string) => void;
}

/** Kills a writing process again and again, and judges after each time what is left on the disk. */
export async function killStore({ kills, seed, progress = () => {} }: KillOptions): Promise<KillStats> {
  const root = temporaryDirectory();
  const script = join(root, "child.mjs");
  const stats = newStats();
  try {
    await bundleScript(fileURLToPath(new URL("./store-kill-child.ts", import.meta.url)), script);
    let left = kills;
    // Several at once: a child spends most of its short life waiting for its start and for the disk.
    const lane = async (number: number): Promise<void> => {
      const random = seededRandom(seed + number * 7_907);
      let ledger: Ledger | undefined;
      while (left-- > 0) {
        // A new directory from time to time: dying while the files are made is the rarest moment of all.
        if (ledger === undefined || random.fraction() < 0.05) {
          const directory = join(root, `data-${number}-${left}`);
          mkdirSync(directory);
          ledger = new Ledger(directory, seed + left);
        }
        const lines = await runAndKill(script, ledger, random);
        stats.kills++;
        if (!lines.includes("open")) stats.killedInOpen++;
        ledger.record(lines, stats);
        await ledger.judge(stats);
        if (stats.kills % 50 === 0) progress(`${stats.kills} kills, ${stats.acknowledged} acknowledged`);
      }
    };
    await Promise.all([lane(1), lane(2), lane(3)]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return stats;
}

function newStats(): KillStats {
  const none = { killedInOpen: 0, acknowledged: 0, keptUnacknowledged: 0, lost: 0, torn: 0, resurrected: 0 };
  return { kills: 0, ...none, repeatedRevisions: 0, troubles: [] };
}

export function isClean(stats: KillStats): boolean {
  const { lost, torn, resurrected, repeatedRevisions, troubles } = stats;
  return lost + torn + resurrected + repeatedRevisions + troubles.length === 0;
}

export function printStats({ troubles, ...it }: KillStats): string {
  const text =
    `${it.kills} kills (${it.killedInOpen} before the store was open), ${it.acknowledged} acknowledged, ` +
    `${it.lost} lost, ${it.torn} torn, ${it.resurrected} resurrected, ` +
    `${it.repeatedRevisions} repeated revisions, ${it.keptUnacknowledged} kept unacknowledged`;
  return [text, ...troubles].join("; ");
}

/** Runs the child until its moment has come; answers the lines it got out. */
async function runAndKill(script: string, ledger: Ledger, random: Random): Promise<string[]> {
  const args = [script, ledger.directory, String(ledger.seed), String(ledger.nextClock())];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  let lineCount = 0;
  let onText = (): void => {};
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    for (const byte of chunk) if (byte === 10) lineCount++;
    onText();
  });
  const closed = once(child, "close");
  const until = (isTime: () => boolean): Promise<unknown> =>
    Promise.race([
      closed,
      new Promise<void>((resolve) => {
        onText = () => {
          if (isTime()) resolve();
        };
        onText();
      }),
    ]);
  const manner = random.fraction();
  const share = random.fraction();
  if (manner < 0.1) await pause(share * 60);
  else if (manner < 0.25) await until(() => text.includes("start\n"));
  else if (manner < 0.4) {
    await until(() => text.includes("start\n"));
    await pause(share * 8);
  } else {
    const lines = 2 + Math.floor(share * share * 400);
    await until(() => lineCount >= lines);
    if (manner > 0.7) await pause(random.fraction() * 4);
  }
  child.kill("SIGKILL");
  await closed;
  // A line without its end was not told.
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .slice(0, -1);
}

/** What the parent knows: for each writer the last step acknowledged, and from it what each group must be. */
class Ledger {
  readonly directory: string;
  readonly seed: number;
  readonly #steps = new Array<number>(WRITERS).fill(0);
  readonly #groups = Array.from({ length: WRITERS }, () => new Map<number, number>());
  #highestRevision = 0n;
  #clock = Date.UTC(2026, 5, 1);

  constructor(directory: string, seed: number) {
    this.directory = directory;
    this.seed = seed;
  }

  /** Each start finds the clock an hour earlier: revisions may not lean on it. */
  nextClock(): number {
    this.#clock -= 3_600_000;
    return this.#clock;
  }

  record(lines: readonly string[], stats: KillStats): void {
    for (const line of lines) {
      if (line === "start" || line === "open") continue;
      const [word, writer, number, revision] = line.split(" ");
      if (word !== "ack") {
        stats.troubles.push(line);
        continue;
      }
      if (Number(number) !== this.#steps[Number(writer)]! + 1) stats.troubles.push(`out of order: ${line}`);
      this.#apply(Number(writer), Number(number));
      this.#seeRevision(BigInt(revision!), stats);
      stats.acknowledged++;
    }
  }

  #apply(writer: number, number: number): void {
    const { group, isDelete } = stepOf({ seed: this.seed, writer }, number);
    this.#steps[writer] = number;
    if (isDelete) this.#groups[writer]!.delete(group);
    else this.#groups[writer]!.set(group, number);
  }

  #seeRevision(revision: bigint, stats: KillStats): void {
    if (revision <= this.#highestRevision) stats.repeatedRevisions++;
    else this.#highestRevision = revision;
  }

  async judge(stats: KillStats): Promise<void> {
    const store = new EmbeddedStore({
      directory: this.directory,
      owner: "judge",
      onFatal: (error) => {
        throw error;
      },
    });
    try {
      await store.read(async (read) => {
        const unacknowledged: bigint[] = [];
        for (let writer = 0; writer < WRITERS; writer++)
          await this.#judgeWriter(read, writer, stats, unacknowledged);
        unacknowledged.sort((a, b) => (a < b ? -1 : 1));
        for (const revision of unacknowledged) this.#seeRevision(revision, stats);
      });
    } finally {
      await store.close();
    }
  }

  async #judgeWriter(
    read: Reader,
    writer: number,
    stats: KillStats,
    unacknowledged: bigint[],
  ): Promise<void> {
    const acknowledged = this.#steps[writer]!;
    const stored = (await read.get(writerKey(writer)))?.toString().split(" ") ?? ["0", "0"];
    const found = Number(stored[0]);
    if (found === acknowledged + 1) {
      // The one in flight has landed; it counts from here on, as its author will see when it starts again.
      this.#apply(writer, found);
      unacknowledged.push(BigInt(stored[1]!));
      stats.keptUnacknowledged++;
    } else if (found < acknowledged) stats.lost += acknowledged - found;
    else if (found > acknowledged) stats.troubles.push(`writer ${writer} at ${found}, told ${acknowledged}`);

    for (const group of groupsOf()) {
      const expected = this.#groups[writer]!.get(group);
      const present = await storedStep(read, writer, group);
      if (present === expected) continue;
      if (present === "torn") stats.torn++;
      else if (expected === undefined) stats.resurrected++;
      else stats.lost++;
    }
  }
}
