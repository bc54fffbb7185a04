import { join } from "node:path";
import { seededRandom } from "../../src/base/random.ts";
import { isClean, printStats } from "../crash/ledger/cell.ts";
import { Ledger } from "../crash/ledger/ledger.ts";
import { preload } from "../crash/ledger/preload.ts";
import { Product } from "../support/product.ts";
import type { Proof } from "../support/proof.ts";

const CLIENTS = 8;
const OBJECTS = { quick: 20_000, usual: 1_000_000, long: 1_000_000 };
const KILLS = { quick: 8, usual: 40, long: 200 };
const MILLIS_MAX = 2_000;
/** On a machine that does other things as well, one start in twenty may be late. */
const SHARE_IN_TIME = 0.95;

export const proof: Proof = {
  name: "restart",
  what: "after kill -9 under load, Holdfast with a million objects serves again within 2 s, with all it acknowledged",
  minutes: 4,
  isAlone: true,
  async run({ directory, length, seed, progress }) {
    const random = seededRandom(seed);
    const product = new Product({ directory: join(directory, "data"), workers: 1 });
    await product.start();
    const ledger = new Ledger(product, CLIENTS, seed);
    try {
      await ledger.prepare();
      await preload({ product, objects: OBJECTS[length], progress });
      for (let kill = 0; kill < KILLS[length] && ledger.isClean; kill++) {
        await ledger.cycle(20 + random.fraction() * 200, async () => {
          await product.killAll();
          await product.start();
        });
      }
    } finally {
      ledger.close();
      await product.stop("SIGKILL");
    }
    const sorted = product.startMillis.slice(1).sort((one, other) => one - other);
    const at = (share: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * share)]!);
    const summary =
      `${sorted.length} restarts with ${OBJECTS[length]} objects: median ${at(0.5)} ms, longest ${at(1)} ms; ` +
      printStats(ledger.stats);
    return { ok: isClean(ledger.stats) && at(SHARE_IN_TIME) <= MILLIS_MAX, summary };
  },
};
