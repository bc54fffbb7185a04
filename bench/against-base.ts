import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Measured } from "./load.ts";
import { measure, median, prepare, printRate, type RoundOptions, titleOf, warmUp } from "./measure.ts";
import type { Row } from "./rows.ts";
import { startHoldfast } from "./servers.ts";

/** A row below this ratio is slower than the base build by more than the noise of a quiet machine. */
export const LEAST_OF_BASE = 0.97;

export interface BaseResult {
  readonly name: string;
  readonly base: number;
  readonly holdfast: number;
  /** Median of the ratios new/base, each taken from one round. */
  readonly ofBase: number;
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
    const measured: { base: Measured; holdfast: Measured }[] = [];
    for (let round = 0; round < rounds; round++) {
      if (round % 2 === 0) {
        const first = await measure(row, base, options);
        measured.push({ base: first, holdfast: await measure(row, holdfast, options) });
      } else {
        const first = await measure(row, holdfast, options);
        measured.push({ base: await measure(row, base, options), holdfast: first });
      }
    }
    return {
      name: titleOf(row),
      base: median(measured.map((round) => round.base.perSecond)),
      holdfast: median(measured.map((round) => round.holdfast.perSecond)),
      ofBase: median(measured.map((round) => round.holdfast.perSecond / round.base.perSecond)),
      p50Millis: median(measured.map((round) => round.holdfast.p50Millis)),
      p99Millis: median(measured.map((round) => round.holdfast.p99Millis)),
    };
  } finally {
    await Promise.all([base.stop(), holdfast.stop()]);
  }
}

export function printBaseResult({ name, base, holdfast, ofBase, ...latency }: BaseResult): string {
  return (
    `${name.padEnd(50)} base ${printRate(base)}/s  holdfast ${printRate(holdfast)}/s  ` +
    `new/base ${ofBase.toFixed(3)}${ofBase < LEAST_OF_BASE ? " SLOWER" : ""}` +
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
