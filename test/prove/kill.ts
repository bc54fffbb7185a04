import { join } from "node:path";
import { pause } from "../../src/base/clock.ts";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { add, isClean, newFigures, printFigures } from "../crash/ledger/cell.ts";
import { Ledger } from "../crash/ledger/ledger.ts";
import { preload } from "../crash/ledger/preload.ts";
import { Product } from "../support/product.ts";
import type { Proof, ProofContext } from "../support/proof.ts";

const CLIENTS = 8;
const RESTART_MILLIS_MAX = 2_000;
/** On a machine that does other things as well, one start in twenty may be late. */
const SHARE_IN_TIME = 0.95;

interface Lane {
  readonly name: string;
  readonly workers: number;
  readonly cycles: number;
  /** Objects that are there before the first kill. */
  readonly objects: number;
}

export const proof: Proof = {
  name: "kill",
  what: "kill -9 of a worker or of everything, under load of all services: nothing acknowledged is lost, torn or back",
  minutes: 15,
  async run(context) {
    const isQuick = context.length === "quick";
    const lanes: Lane[] = [
      { name: "1 process", workers: 1, cycles: isQuick ? 15 : 400, objects: 0 },
      { name: "3 workers", workers: 3, cycles: isQuick ? 15 : 400, objects: 0 },
      { name: "many objects", workers: 1, cycles: isQuick ? 10 : 200, objects: isQuick ? 50_000 : 1_000_000 },
    ];
    const totals = newFigures();
    // A cycle is mostly waiting: two of them side by side. The one whose starts are timed has the machine alone.
    const [first, second, timed] = lanes as [Lane, Lane, Lane];
    const lived = await Promise.all([runLane(first, context), runLane(second, context)]);
    for (const { figures } of lived) add(totals, figures);
    let restarts = "";
    if (isClean(totals)) {
      const { figures, startMillis } = await runLane(timed, context);
      add(totals, figures);
      restarts = judgeStarts(timed, startMillis, totals.troubles);
    }
    const cycles = lanes.reduce((sum, lane) => sum + lane.cycles, 0);
    return { ok: isClean(totals), figure: `${cycles} cycles, ${printFigures(totals)}; ${restarts}` };
  },
};

async function runLane(
  { name, workers, cycles, objects }: Lane,
  { directory, seed, progress }: ProofContext,
) {
  const random = seededRandom(seed + workers * 31 + objects);
  const product = new Product({ directory: join(directory, name.replaceAll(" ", "-")), workers });
  await product.start();
  const ledger = new Ledger(product, CLIENTS, seed + workers);
  try {
    await ledger.prepare();
    if (objects > 0) await preload({ product, objects, progress });
    for (let cycle = 0; cycle < cycles && ledger.isClean; cycle++) {
      await ledger.cycle(20 + random.fraction() * 200, () => crash(product, workers, random));
      if (cycle % 20 === 19) progress(`${name}: ${cycle + 1} cycles, ${printFigures(ledger.figures)}`);
    }
  } finally {
    ledger.close();
    await product.stop("SIGKILL");
  }
  return { figures: ledger.figures, startMillis: product.startMillis.slice(1) };
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

function judgeStarts({ objects }: Lane, millis: readonly number[], troubles: string[]): string {
  const sorted = [...millis].sort((one, other) => one - other);
  const at = (share: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * share)]!);
  if (at(SHARE_IN_TIME) > RESTART_MILLIS_MAX) {
    troubles.push(`1 start in 20 took more than ${RESTART_MILLIS_MAX} ms`);
  }
  return `restart with ${objects} objects: median ${at(0.5)} ms, longest ${at(1)} ms`;
}
