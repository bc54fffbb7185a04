import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { monotonic, pause } from "../../../src/base/clock.ts";
import { KIB, LIMITS, MIB } from "../../../src/base/limits.ts";
import { HTTPS_FLAGS } from "../../kit/certificates.ts";
import { memoryOf } from "../../kit/growth.ts";
import { type Program, startProgram } from "../../kit/program.ts";
import { attacksOn } from "./attacks.ts";

/**
 * A server under attack, and honest clients beside it whose waiting is measured before and during each
 * attack.
 */
export interface LatencyStats {
  readonly count: number;
  readonly errors: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface AttackOutcome {
  readonly name: string;
  readonly before: LatencyStats;
  readonly during: LatencyStats;
  /** The server's memory: at the start of all, and the most that was seen during this attack. */
  readonly baseBytes: number;
  readonly peakBytes: number;
  /** By how much it may grow. */
  readonly growthMax: number;
  /** The p99 of each time the attack ran: `during` has the lowest of them, and the errors of all. */
  readonly p99s: readonly number[];
}

export interface SiegeOptions {
  readonly directory: string;
  readonly seconds: number;
  readonly connections: number;
  /** The server, its honest clients and its attackers speak HTTPS. */
  readonly isSecure?: boolean;
  readonly attacks?: readonly string[];
  /** How often an attack runs again whose p99 is beyond the limit. */
  readonly slowRerunsMax?: number;
  readonly progress?: (text: string) => void;
}

export interface SiegeOutcome {
  readonly attacks: readonly AttackOutcome[];
  readonly diskPeakBytes: number;
  readonly diskEndBytes: number;
  readonly liveBytes: number;
  readonly isAlive: boolean;
  /** It ended by itself when it was told to, although connections of all kinds had been left to it. */
  readonly hasStopped: boolean;
}

/**
 * An attack whose p99 is beyond the limit runs again, so often at most. Another program on the machine can
 * make the honest wait once; a defect of the server makes them wait each time. Errors, memory and disk are
 * never given another try.
 */
export const SLOW_RERUNS_MAX = 2;
/** Below this much more, the difference is the machine's and not the attack's. */
export const NOISE_MILLIS = 10;
export const MEMORY_GROWTH_MAX = 128 * MIB;
/**
 * What a connection may cost over TLS on top of that. A bare node:tls server that throws away all it reads
 * grows by 39 KiB for each connection that has sent a few bytes and by 92 KiB for each that has sent 60 KB,
 * and keeps it (decision 0051).
 */
export const TLS_CONNECTION_BYTES = 64 * KIB;
/** What the attacks leave on purpose: the large blob and the rows they read. */
const LIVE_BYTES = 40 * MIB;
const RECLAIM_MILLIS = 60_000;
/** Longer than a server waits for requests under way when it is told to stop. */
const STOP_MILLIS = LIMITS.shutdownMillis + 15_000;

/** A script beside this one in a process of its own, which answers lines with lines. */
class Helper {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(script: string, ...args: readonly string[]) {
    const path = fileURLToPath(new URL(script, import.meta.url));
    this.#child = spawn(process.execPath, ["--import", "tsx", path, ...args], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#lines = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
  }

  async ready(): Promise<void> {
    if ((await this.#next()) !== "ready") throw new Error("a helper of the siege did not start");
  }

  ask(line: string): Promise<string> {
    this.#child.stdin!.write(`${line}\n`);
    return this.#next();
  }

  async #next(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error("a helper of the siege has ended");
    return value;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#child.on("exit", () => resolve());
      this.#child.stdin!.end();
      this.#child.kill();
    });
  }
}

/** Ends a window of the honest clients. */
async function windowOf(
  honest: Helper,
  kind: "calm" | "attack" | "skip" | "all calm",
): Promise<LatencyStats> {
  return JSON.parse(await honest.ask(kind)) as LatencyStats;
}

export function diskOf(directory: string): number {
  let bytes = 0;
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    try {
      bytes += statSync(join(entry.parentPath ?? entry.path, entry.name)).blocks * 512;
    } catch (error) {
      // Removed between the two looks: that is what we wait for.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  return bytes;
}

export async function besiege(options: SiegeOptions): Promise<SiegeOutcome> {
  const { directory, seconds, connections, isSecure = false, progress = () => {} } = options;
  const reruns = options.slowRerunsMax ?? 0;
  const data = join(directory, isSecure ? "data-tls" : "data");
  const tlsFlags = isSecure ? HTTPS_FLAGS : [];
  const program = await startProgram(["--location", data, "--silent", ...tlsFlags]);
  const smbPort = (program.ports as Partial<Record<string, number>>).smb;
  const { blob, queue, table, file } = program.ports;
  const ports = { blob, queue, table, file };
  const honest = new Helper("./honest.ts", JSON.stringify(ports), isSecure ? "tls" : "http");
  const attackers = new Helper("./attackers.ts", JSON.stringify({ ports, smbPort, isSecure, connections }));
  const wanted = attacksOn(isSecure).filter(({ name }) => options.attacks?.includes(name) ?? true);
  const attacks: AttackOutcome[] = [];
  let diskPeakBytes = 0;
  let hasStopped = false;
  let outcome: Omit<SiegeOutcome, "hasStopped">;
  try {
    await honest.ready();
    await attackers.ready();
    // Warm: the first requests of a process are compiled while they run.
    await pause(Math.min(seconds, 5) * 1_000);
    await windowOf(honest, "skip");
    const baseBytes = memoryOf(program.pid);
    const growthMax = MEMORY_GROWTH_MAX + (isSecure ? connections * TLS_CONNECTION_BYTES : 0);
    const run = async (name: string): Promise<AttackOutcome> => {
      await pause(seconds * 500);
      const before = await windowOf(honest, "calm");
      let peakBytes = 0;
      const watch = setInterval(() => {
        if (program.child.exitCode === null) peakBytes = Math.max(peakBytes, memoryOf(program.pid));
        diskPeakBytes = Math.max(diskPeakBytes, diskOf(data));
      }, 250);
      try {
        await attackers.ask(JSON.stringify({ name, seconds }));
      } finally {
        clearInterval(watch);
      }
      const during = await windowOf(honest, "attack");
      const outcome = { name, before, during, baseBytes, peakBytes, growthMax, p99s: [during.p99] };
      progress(printOutcome(outcome));
      await pause(500);
      await windowOf(honest, "skip");
      return outcome;
    };
    for (const { name } of wanted) attacks.push(await run(name));
    // One window of calm is short: a single sync that takes long decides its p99. All of them together say
    // what is usual.
    let before = await windowOf(honest, "all calm");
    for (;;) {
      const slow = attacks.findIndex((one) => one.p99s.length <= reruns && isSlow({ ...one, before }));
      if (slow < 0) break;
      const { name, p99s } = attacks[slow]!;
      progress(`${name}: p99 beyond the limit, again (${p99s.length} of at most ${reruns})`);
      attacks[slow] = joinRuns(attacks[slow]!, await run(name));
      before = await windowOf(honest, "all calm");
    }
    const until = monotonic() + RECLAIM_MILLIS;
    while (diskOf(data) > 2 * LIVE_BYTES + 128 * MIB && monotonic() < until) await pause(500);
    const isAlive = program.child.exitCode === null;
    outcome = {
      attacks: attacks.map((attack) => ({ ...attack, before })),
      diskPeakBytes,
      diskEndBytes: diskOf(data),
      liveBytes: LIVE_BYTES,
      isAlive,
    };
  } finally {
    await honest.stop();
    await attackers.stop();
    hasStopped = await stopInTime(program);
  }
  return { ...outcome, hasStopped };
}

async function stopInTime(program: Program): Promise<boolean> {
  let isLate = false;
  const patience = setTimeout(() => {
    isLate = true;
    program.child.kill("SIGKILL");
  }, STOP_MILLIS);
  await program.stop();
  clearTimeout(patience);
  return !isLate;
}

export function ratioOf({ before, during }: AttackOutcome): number {
  return during.p99 / Math.max(before.p99, 0.1);
}

/** The honest waited longer than promised. */
export function isSlow({ before, during }: AttackOutcome): boolean {
  return during.p99 > Math.max(2 * before.p99, before.p99 + NOISE_MILLIS);
}

/**
 * The same attack, run twice: the honest waited as long as in the better run, because only a defect of the
 * server shows in each; all else counts as in the worse one.
 */
export function joinRuns(one: AttackOutcome, other: AttackOutcome): AttackOutcome {
  const [better, worse] = one.during.p99 <= other.during.p99 ? [one, other] : [other, one];
  return {
    ...better,
    during: {
      ...better.during,
      count: Math.min(better.during.count, worse.during.count),
      errors: better.during.errors + worse.during.errors,
    },
    peakBytes: Math.max(one.peakBytes, other.peakBytes),
    p99s: [...one.p99s, ...other.p99s],
  };
}

/** What an attack has broken of the promise; empty when all of it held. */
export function brokenBy(outcome: AttackOutcome): string[] {
  const { name, during, baseBytes, peakBytes, growthMax, p99s } = outcome;
  const broken: string[] = [];
  if (isSlow(outcome)) broken.push(`${name}: p99 ${ratioOf(outcome).toFixed(1)}x${timesOf(p99s.length)}`);
  if (during.errors > 0) broken.push(`${name}: ${during.errors} honest requests failed`);
  if (during.count === 0) broken.push(`${name}: no honest request was answered`);
  if (peakBytes - baseBytes > growthMax) broken.push(`${name}: memory +${mib(peakBytes - baseBytes)}`);
  return broken;
}

const timesOf = (runs: number): string => (runs === 1 ? "" : ` at best of ${runs} runs`);
const mib = (bytes: number): string => `${Math.round(bytes / MIB)} MiB`;

export function printOutcome(outcome: AttackOutcome): string {
  const { name, before, during, baseBytes, peakBytes } = outcome;
  return (
    `${name}: p99 ${before.p99.toFixed(1)} -> ${during.p99.toFixed(1)} ms (${ratioOf(outcome).toFixed(1)}x, ` +
    `max ${during.max.toFixed(0)}), ${during.count} requests, ${during.errors} failed, ` +
    `memory ${mib(baseBytes)} -> ${mib(peakBytes)}`
  );
}
