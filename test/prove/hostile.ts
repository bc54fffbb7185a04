import { MIB } from "../../src/base/limits.ts";
import { besiege, brokenBy, ratioOf, type SiegeOutcome, SLOW_RERUNS_MAX } from "../hostile/siege/siege.ts";
import type { Proof } from "../support/proof.ts";

const CONNECTIONS = 2_000;
/** Of each attack. */
const SECONDS = { quick: 2, usual: 10, long: 30 };

export const proof: Proof = {
  name: "hostile",
  what: "2,000 slow connections, floods, bombs and abandoned uploads slow honest clients to 2x at most, and leave nothing, over HTTP and over TLS",
  minutes: 9,
  isAlone: true,
  async run({ length, progress, directory }) {
    const stats: string[] = [];
    const broken: string[] = [];
    for (const isSecure of [false, true]) {
      const protocol = isSecure ? "TLS" : "HTTP";
      const outcome = await besiege({
        directory,
        isSecure,
        seconds: SECONDS[length],
        connections: CONNECTIONS,
        slowRerunsMax: SLOW_RERUNS_MAX,
        progress: (text) => progress(`${protocol}: ${text}`),
      });
      stats.push(`${protocol}: ${summaryOf(outcome)}`);
      broken.push(...promisesBroken(outcome).map((text) => `${protocol}: ${text}`));
    }
    return { ok: broken.length === 0, summary: [...stats, ...broken].join("; ") };
  },
};

function promisesBroken(outcome: SiegeOutcome): string[] {
  const broken = outcome.attacks.flatMap(brokenBy);
  if (!outcome.isAlive) broken.push("the server is gone");
  if (!outcome.hasStopped) broken.push("the server did not stop when it was told to");
  const diskMax = 2 * outcome.liveBytes + 128 * MIB;
  if (outcome.diskEndBytes > diskMax) broken.push("disk not reclaimed");
  return broken;
}

function summaryOf({ attacks, diskEndBytes, diskPeakBytes }: SiegeOutcome): string {
  const worst = Math.max(...attacks.map(ratioOf));
  const grown = Math.max(...attacks.map(({ baseBytes, peakBytes }) => peakBytes - baseBytes));
  const reruns = attacks.reduce((sum, { p99s }) => sum + p99s.length - 1, 0);
  const [disk, peak] = [diskEndBytes, diskPeakBytes].map((bytes) => Math.round(bytes / MIB));
  return (
    `${attacks.length} attacks, honest p99 at most ${worst.toFixed(1)}x (${reruns} runs repeated), ` +
    `memory +${Math.round(grown / MIB)} MiB, disk ${disk} MiB at the end (${peak} MiB at most)`
  );
}
