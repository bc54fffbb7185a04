import { rmSync } from "node:fs";
import { join } from "node:path";
import { installMissing, NEEDED, thisSystem } from "../../scripts/test/programs.ts";
import { seededRandom } from "../../src/base/random.ts";
import { add, isClean, newStats, printStats } from "../crash/ledger/cell.ts";
import { Ledger } from "../crash/ledger/ledger.ts";
import { mutantEnvironment } from "../support/mutants.ts";
import { openPowerDisk, type PowerDisk } from "../support/power-disk.ts";
import { Product } from "../support/product.ts";
import type { Proof } from "../support/proof.ts";

const NEEDED_HERE = NEEDED.filter(({ program }) => program === "mkfs.ext4");
const CLIENTS = 8;
const DISK_MEBIBYTES = 512;
/** Then a new data directory: the first moments of one are a time of their own. */
const CUTS_PER_LIFE = 15;
const CONTROL_LIVES_MAX = 10;

export const proof: Proof = {
  name: "power-cut",
  what: "when the power goes and everything unsynced with it, nothing acknowledged is lost and the data opens",
  minutes: 20,
  async run({ length, progress, seed, directory }) {
    progress(installMissing(NEEDED_HERE, thisSystem));
    const disk = await openPowerDisk(join(directory, "power"), DISK_MEBIBYTES);
    if (typeof disk === "string") return { ok: true, isNotRun: true, summary: disk };
    try {
      const isQuick = length === "quick";
      const cutsMax = isQuick ? 12 : 300;
      const totals = newStats();
      let cuts = 0;
      for (let life = 0; cuts < cutsMax && isClean(totals); life++) {
        const workers = 1 + (life % 2);
        const lifeCuts = Math.min(isQuick ? 6 : CUTS_PER_LIFE, cutsMax - cuts);
        const lived = await live({ disk, life, workers, cuts: lifeCuts, seed: seed + life }).catch(
          (error: Error) => error,
        );
        if (lived instanceof Error) {
          return { ok: false, summary: `after ${cuts} cuts the data did not open: ${lived.message}` };
        }
        add(totals, lived.stats);
        cuts += lived.cuts;
        progress(`${cuts} cuts, ${printStats(totals)}`);
      }
      if (!isClean(totals)) return { ok: false, summary: `${cuts} cuts, ${printStats(totals)}` };
      const control = await controlRun(disk, seed, progress);
      const summary = `${cuts} cuts, ${printStats(totals)}; control without sync: ${control ?? "NOT caught"}`;
      return { ok: control !== undefined, summary };
    } finally {
      await disk.remove();
    }
  },
};

interface Life {
  readonly disk: PowerDisk;
  readonly life: number;
  readonly workers: number;
  readonly cuts: number;
  readonly seed: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** One data directory from its making on, cut again and again. */
async function live({ disk, life, workers, cuts, seed, env = {} }: Life) {
  const random = seededRandom(seed);
  const directory = join(disk.path, `life-${life}`);
  const product = new Product({ directory, workers, env });
  await product.start();
  const ledger = new Ledger(product, CLIENTS, seed);
  let done = 0;
  try {
    await ledger.prepare();
    while (done < cuts && ledger.isClean) {
      await ledger.cycle(random.fraction() * 300, async () => {
        disk.cut();
        await product.killAll();
        await disk.restore();
        await product.start();
      });
      done++;
    }
  } finally {
    ledger.close();
    await product.stop("SIGKILL");
  }
  rmSync(directory, { recursive: true, force: true });
  return { stats: ledger.stats, cuts: done };
}

/** The same with a product that does not sync: it has to be seen losing what it acknowledged. */
async function controlRun(
  disk: PowerDisk,
  seed: number,
  progress: (text: string) => void,
): Promise<string | undefined> {
  const env = mutantEnvironment("ack-before-sync");
  let unopened = 0;
  for (let life = 0; life < CONTROL_LIVES_MAX; life++) {
    try {
      const name = 1_000 + life;
      const { stats } = await live({ disk, life: name, workers: 1, cuts: 5, seed: seed + life, env });
      if (!isClean(stats))
        return `caught, ${stats.lost} lost, ${stats.torn} torn, ${unopened} times unreadable`;
    } catch (error) {
      unopened++;
      progress(`without sync: ${String(error).slice(0, 120)}`);
    }
  }
  return unopened > 0 ? `caught, ${unopened} times unreadable` : undefined;
}
