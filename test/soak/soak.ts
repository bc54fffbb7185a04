import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { monotonic, pause } from "../../src/base/clock.ts";
import { KIB, MIB } from "../../src/base/limits.ts";
import { diskOf } from "../hostile/siege/siege.ts";
import { memoryOf } from "../kit/growth.ts";
import { type Program, startProgram } from "../kit/program.ts";

/**
 * A server that works for a long time at a part of what it can: whether memory, descriptors, delays and the
 * disk stay as they are. How much it can is measured first, with the same clients at full speed.
 */
export interface SoakOptions {
  readonly directory: string;
  readonly seconds: number;
  /** How many large blobs, files and entities are alive. */
  readonly slots: number;
  readonly seed: number;
  readonly progress?: (text: string) => void;
}

export interface Sample {
  readonly seconds: number;
  readonly memoryBytes: number;
  readonly descriptors: number;
}

export interface SoakOutcome {
  readonly requests: number;
  readonly errors: readonly string[];
  readonly rateMax: number;
  readonly rate: number;
  readonly samples: readonly Sample[];
  /** Of the event loop, over the whole time of the load. */
  readonly delayMillisP99: number;
  readonly liveBytes: number;
  readonly diskBytes: number;
}

const SHARE = 0.6;
const WARM_SECONDS_MAX = 60;
const SAMPLE_MILLIS = 2_000;
const RECLAIM_MILLIS = 30_000;
/** A large blob and the 64 KiB of a file. */
const SLOT_BYTES = 576 * KIB;

class Clients {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(program: Program, slots: number, seed: number) {
    const script = fileURLToPath(new URL("./mixed-clients.ts", import.meta.url));
    const args = ["--import", "tsx", script, JSON.stringify(program.ports), String(slots), String(seed)];
    this.#child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.#lines = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
  }

  async ready(): Promise<void> {
    const { value } = await this.#lines.next();
    if (value !== "ready") throw new Error("the clients did not start");
  }

  /** The figures since the last time; from now on so many requests a second, 0 for as many as it takes. */
  async pace(rate: number): Promise<{ done: number; errors: number; failures: string[] }> {
    this.#child.stdin!.write(`${rate}\n`);
    const { value } = await this.#lines.next();
    return JSON.parse(value as string) as { done: number; errors: number; failures: string[] };
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) resolve();
      this.#child.on("exit", () => resolve());
      this.#child.kill();
    });
  }
}

export async function soak(options: SoakOptions): Promise<SoakOutcome> {
  const { directory, seconds, slots, seed, progress = () => {} } = options;
  const data = join(directory, "data");
  const program = await startProgram(["--location", data, "--silent"]);
  const clients = new Clients(program, slots, seed);
  try {
    await clients.ready();
    const rateMax = await fullSpeed(clients, Math.min(15, seconds / 6));
    const rate = Math.max(1, Math.floor(rateMax * SHARE));
    await clients.pace(rate);
    progress(`${rateMax}/s at full speed, ${rate}/s from now on`);
    await pause(Math.min(WARM_SECONDS_MAX, seconds / 4) * 1_000);
    await clients.pace(rate);
    // Asking for it begins it anew.
    await delayMillisP99(program);
    const samples = await watch(program, seconds, (sample) => progress(printSample(sample, data)));
    const { done, errors, failures } = await clients.pace(rate);
    const delay = await delayMillisP99(program);
    await clients.stop();
    const liveBytes = slots * SLOT_BYTES;
    const until = monotonic() + RECLAIM_MILLIS;
    while (diskOf(data) > 2 * liveBytes && monotonic() < until) await pause(500);
    return {
      requests: done,
      errors: errors === 0 ? [] : [`${errors} requests failed: ${failures.join(", ")}`],
      rateMax,
      rate: Math.round(done / seconds),
      samples,
      delayMillisP99: delay,
      liveBytes,
      diskBytes: diskOf(data),
    };
  } finally {
    await clients.stop();
    await program.stop();
  }
}

async function fullSpeed(clients: Clients, seconds: number): Promise<number> {
  await clients.pace(0);
  await pause(seconds * 500);
  await clients.pace(0);
  await pause(seconds * 1_000);
  return Math.round((await clients.pace(0)).done / seconds);
}

async function watch(
  { pid }: Program,
  seconds: number,
  told: (sample: Sample) => void,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const start = monotonic();
  for (let next = start; monotonic() - start < seconds * 1_000; ) {
    next += SAMPLE_MILLIS;
    await pause(Math.max(0, next - monotonic()));
    const sample = {
      seconds: (monotonic() - start) / 1_000,
      memoryBytes: memoryOf(pid),
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
    };
    samples.push(sample);
    if (samples.length % 30 === 0) told(sample);
  }
  return samples;
}

async function delayMillisP99({ ports }: Program): Promise<number> {
  const reply = await fetch(`http://127.0.0.1:${ports.admin}/metrics`);
  const found = /^nodejs_eventloop_lag_p99_seconds(?:\{[^}]*\})? (\S+)/m.exec(await reply.text());
  if (found === null) throw new Error("the server does not tell the delay of its event loop");
  return Number(found[1]) * 1_000;
}

const mib = (bytes: number): string => `${Math.round(bytes / MIB)} MiB`;

function printSample({ seconds, memoryBytes, descriptors }: Sample, data: string): string {
  return `${Math.round(seconds)} s: memory ${mib(memoryBytes)}, ${descriptors} descriptors, disk ${mib(diskOf(data))}`;
}

export interface Trend {
  /** How much it grew from the first to the last sample, as the line through all of them says. */
  readonly growthBytes: number;
  readonly meanBytes: number;
}

/** The line that fits best: one odd sample does not bend it. */
export function trendOf(samples: readonly Sample[]): Trend {
  const count = samples.length;
  const meanAt = samples.reduce((sum, { seconds }) => sum + seconds, 0) / count;
  const meanBytes = samples.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0) / count;
  let [over, under] = [0, 0];
  for (const { seconds, memoryBytes } of samples) {
    over += (seconds - meanAt) * (memoryBytes - meanBytes);
    under += (seconds - meanAt) ** 2;
  }
  const span = samples.at(-1)!.seconds - samples[0]!.seconds;
  return { growthBytes: under === 0 ? 0 : (over / under) * span, meanBytes };
}

const GROWTH_SHARE_MAX = 0.1;
const GROWTH_BYTES_MIN = 24 * MIB;
const DESCRIPTORS_MORE_MAX = 16;
const DELAY_MILLIS_MAX = 50;

/** What was not flat, or too much; empty when all of it held. */
export function brokenIn(outcome: SoakOutcome): string[] {
  const { samples, liveBytes, diskBytes } = outcome;
  const broken = [...outcome.errors];
  const { growthBytes, meanBytes } = trendOf(samples);
  if (growthBytes > Math.max(GROWTH_BYTES_MIN, meanBytes * GROWTH_SHARE_MAX))
    broken.push(`memory grows by ${mib(growthBytes)}`);
  const { first, last } = descriptorsOf(samples);
  if (last > first + DESCRIPTORS_MORE_MAX) broken.push(`descriptors go from ${first} to ${last}`);
  if (outcome.delayMillisP99 >= DELAY_MILLIS_MAX) broken.push(`delay of the event loop is too long`);
  if (diskBytes > 2 * liveBytes) broken.push(`disk beyond twice the live data`);
  return broken;
}

/** The most in the first and in the last quarter. */
function descriptorsOf(samples: readonly Sample[]): { readonly first: number; readonly last: number } {
  const quarter = Math.ceil(samples.length / 4);
  const most = (part: readonly Sample[]): number => Math.max(...part.map(({ descriptors }) => descriptors));
  return { first: most(samples.slice(0, quarter)), last: most(samples.slice(-quarter)) };
}

export function printSoak(outcome: SoakOutcome): string {
  const { requests, rate, rateMax, samples, delayMillisP99: delay, diskBytes, liveBytes } = outcome;
  const { growthBytes, meanBytes } = trendOf(samples);
  const { first, last } = descriptorsOf(samples);
  const growth = `${growthBytes < 0 ? "-" : "+"}${mib(Math.abs(growthBytes))}`;
  return (
    `${requests} requests at ${rate}/s of ${rateMax}/s, memory ${mib(meanBytes)} (${growth}), ` +
    `descriptors ${first} -> ${last}, event loop delay p99 ${delay.toFixed(0)} ms, ` +
    `disk ${mib(diskBytes)} for ${mib(liveBytes)} alive`
  );
}
