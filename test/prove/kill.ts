import { join } from "node:path";
import { pause } from "../../src/base/clock.ts";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { add, isClean, newStats, printStats } from "../crash/ledger/cell.ts";
import { Ledger } from "../crash/ledger/ledger.ts";
import { Product } from "../support/product.ts";
import type { Proof, ProofContext } from "../support/proof.ts";

const CLIENTS = 8;
/** Of each lane. */
const CYCLES = { quick: 20, usual: 500, long: 500 };

export const proof: Proof = {
  name: "kill",
  what: "kill -9 of a worker or of everything, under load of all services: nothing acknowledged is lost, torn or back",
  minutes: 15,
  async run(context) {
    const totals = newStats();
    // A cycle is mostly waiting: two of them side by side.
    const lived = await Promise.all([runLane("1 process", 1, context), runLane("3 workers", 3, context)]);
    for (const stats of lived) add(totals, stats);
    return {
      ok: isClean(totals),
      summary: `${lived.length * CYCLES[context.length]} cycles, ${printStats(totals)}`,
    };
  },
};

async function runLane(name: string, workers: number, { directory, length, seed, progress }: ProofContext) {
  const random = seededRandom(seed + workers * 31);
  const product = new Product({ directory: join(directory, name.replaceAll(" ", "-")), workers });
  await product.start();
  const ledger = new Ledger(product, CLIENTS, seed + workers);
  let cycle = 0;
  try {
    await ledger.prepare();
    for (; cycle < CYCLES[length] && ledger.isClean; cycle++) {
      await ledger.cycle(20 + random.fraction() * 200, () => crash(product, workers, random));
      if (cycle % 20 === 19) progress(`${name}: ${cycle + 1} cycles, ${printStats(ledger.stats)}`);
    }
  } catch (error) {
    const state = `${product.isUp ? "up" : "gone"}, it said: ${product.stderr().slice(-500)}`;
    throw new Error(`${name}, cycle ${cycle}: ${(error as Error).message}; the program is ${state}`);
  } finally {
    ledger.close();
    await product.stop("SIGKILL");
  }
  return ledger.stats;
}

async function crash(product: Product, workers: number, random: Random): Promise<void> {
  if (workers > 1 && random.fraction() < 0.6) {
    product.killOne(random.fraction());
    await pause(20 + random.fraction() * 100);
    return;
  }
  await product.killAll();
  await product.start();
}
