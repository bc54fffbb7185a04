import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { monotonic } from "../src/base/clock.ts";
import type { Measured } from "./load.ts";
import { measure, median, prepare, printRate, type RoundOptions, titleOf, warmUp } from "./measure.ts";
import type { Row } from "./rows.ts";
import { type Contender, cpuMillisOf, startHoldfast } from "./servers.ts";

/** A row below this ratio is slower than the base build by more than the noise of a quiet machine. */
export const LEAST_OF_BASE = 0.97;

export interface BaseResult {
  readonly name: string;
  readonly base: number;
  readonly holdfast: number;
  /** Median of the ratios new/base, each taken from one round. */
  readonly ofBase: number;
  /**
   * The CPU time for each operation, new/base, of the round of each build that needed least: what else the
   * machine does only adds to it.
   */
  readonly cpuOfBase: number | undefined;
  readonly p50Millis: number;
  readonly p99Millis: number;
}

/** Where a build keeps the program; the last two are those of builds before src/cli existed. */
const PROGRAMS = ["dist/cli/holdfast.js", "cli/holdfast.js", "dist/holdfast.js", "holdfast.js"];

/**
 * The program of the base build, given its checkout or its dist directory; undefined when there is no build.
 */
export function programOfBase(directory: string): string | undefined {
  return PROGRAMS.map((program) => join(directory, program)).find((path) => existsSync(path));
}

interface Round extends Measured {
  /** CPU time of the server for each operation, in microseconds. */
  readonly cpuMicros: number | undefined;
}

async function measureRound(row: Row, contender: Contender, options: RoundOptions): Promise<Round> {
  const [cpu, start] = [cpuMillisOf(contender.pid), monotonic()];
  const measured = await measure(row, contender, options);
  if (cpu === undefined) return { ...measured, cpuMicros: undefined };
  const operations = measured.requests ?? (measured.perSecond * (monotonic() - start)) / 1_000;
  return { ...measured, cpuMicros: ((cpuMillisOf(contender.pid)! - cpu) * 1_000) / operations };
}

/**
 * Measures the base build and this build alternating, so that what disturbs the machine disturbs both. The
 * order swaps each round: the second of two is otherwise always the one that meets the disk writes of the
 * first.
 */
export async function runRowAgainstBase(
  row: Row,
  { program, flags, rounds }: { program: string; flags: readonly string[]; rounds: number },
  options: RoundOptions,
): Promise<BaseResult> {
  spawnSync("sync");
  const base = await startHoldfast({ flags, program, name: "base" });
  const holdfast = await startHoldfast({ flags });
  try {
    for (const server of [base, holdfast]) await prepare(server, row);
    for (const server of [base, holdfast]) await warmUp(row, server, options);
    const measured: { base: Round; holdfast: Round }[] = [];
    const one = (contender: Contender): Promise<Round> => measureRound(row, contender, options);
    for (let round = 0; round < rounds; round++) {
      if (round % 2 === 0) measured.push({ base: await one(base), holdfast: await one(holdfast) });
      else {
        const first = await one(holdfast);
        measured.push({ base: await one(base), holdfast: first });
      }
    }
    const leastCpu = (pick: (round: { base: Round; holdfast: Round }) => Round): number =>
      Math.min(...measured.map((round) => pick(round).cpuMicros ?? Number.NaN));
    const cpuOfBase = leastCpu(({ holdfast }) => holdfast) / leastCpu(({ base }) => base);
    return {
      name: titleOf(row),
      base: median(measured.map((round) => round.base.perSecond)),
      holdfast: median(measured.map((round) => round.holdfast.perSecond)),
      ofBase: median(measured.map((round) => round.holdfast.perSecond / round.base.perSecond)),
      cpuOfBase: Number.isFinite(cpuOfBase) ? cpuOfBase : undefined,
      p50Millis: median(measured.map((round) => round.holdfast.p50Millis)),
      p99Millis: median(measured.map((round) => round.holdfast.p99Millis)),
    };
  } finally {
    await Promise.all([base.stop(), holdfast.stop()]);
  }
}

export function printBaseResult({ name, base, holdfast, ofBase, cpuOfBase, ...latency }: BaseResult): string {
  return (
    `${name.padEnd(50)} base ${printRate(base)}/s  holdfast ${printRate(holdfast)}/s  ` +
    `new/base ${ofBase.toFixed(3)}${ofBase < LEAST_OF_BASE ? " SLOWER" : ""}` +
    (cpuOfBase === undefined ? "" : `  CPU ${cpuOfBase.toFixed(3)}`) +
    `  p50 ${latency.p50Millis.toFixed(2)} ms  p99 ${latency.p99Millis.toFixed(2)} ms`
  );
}

/** The last line of a run against a base, and whether every row holds. */
export function printVerdict(
  results: readonly { readonly name: string; readonly ofBase: number }[],
): boolean {
  const slower = results.filter(({ ofBase }) => ofBase < LEAST_OF_BASE);
  const least = Math.min(...results.map(({ ofBase }) => ofBase));
  console.log(
    `\n${results.length} rows against the base build, least ratio ${least.toFixed(3)}, ` +
      `${slower.length} below ${LEAST_OF_BASE}${slower.map(({ name }) => `\n  ${name}`).join("")}`,
  );
  return slower.length === 0;
}
