import { MIB } from "../../src/base/limits.ts";
import { besiege, brokenBy, ratioOf } from "../hostile/siege/siege.ts";
import type { Proof } from "../support/proof.ts";

const CONNECTIONS = 2_000;
/** Of each attack. */
const SECONDS = { quick: 2, usual: 10, long: 30 };

export const proof: Proof = {
  name: "hostile",
  what: "2,000 slow connections, floods, bombs and abandoned uploads slow honest clients to 2x at most, and leave nothing",
  minutes: 5,
  isAlone: true,
  async run({ length, progress, directory }) {
    const outcome = await besiege({
      directory,
      seconds: SECONDS[length],
      connections: CONNECTIONS,
      progress,
    });
    const broken = outcome.attacks.flatMap(brokenBy);
    if (!outcome.isAlive) broken.push("the server is gone");
    const diskMax = 2 * outcome.liveBytes + 128 * MIB;
    if (outcome.diskEndBytes > diskMax) broken.push(`disk not reclaimed`);
    const worst = Math.max(...outcome.attacks.map(ratioOf));
    const grown = Math.max(...outcome.attacks.map(({ baseBytes, peakBytes }) => peakBytes - baseBytes));
    const [disk, peak] = [outcome.diskEndBytes, outcome.diskPeakBytes].map((bytes) =>
      Math.round(bytes / MIB),
    );
    const figure =
      `${outcome.attacks.length} attacks, honest p99 at most ${worst.toFixed(1)}x, ` +
      `memory +${Math.round(grown / MIB)} MiB, disk ${disk} MiB at the end (${peak} MiB at most)`;
    return { ok: broken.length === 0, figure: [figure, ...broken].join("; ") };
  },
};
