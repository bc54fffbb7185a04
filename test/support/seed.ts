import type { TestContext } from "node:test";
import { systemRandom } from "../../src/base/random.ts";

const seed = Number(process.env.HOLDFAST_SEED ?? Math.floor(systemRandom.fraction() * 2 ** 31));

/**
 * The seed of every random choice in this run, printed so that a failure can be run again: HOLDFAST_SEED=...
 */
export function seedOfThisRun(context?: TestContext): number {
  context?.diagnostic(`HOLDFAST_SEED=${seed}`);
  return seed;
}
