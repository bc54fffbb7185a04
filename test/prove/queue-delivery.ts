import { join } from "node:path";
import type { Proof } from "../support/proof.ts";
import { deliverAll } from "../support/queue-delivery.ts";

const PRODUCERS = 32;
const CONSUMERS = 32;
const WORKERS = 2;

export const proof: Proof = {
  name: "queue-delivery",
  what: "each message is deleted once, none is lost, and none is given to two clients within its visibility timeout, also when workers die",
  minutes: 2,
  async run({ length, progress, seed, directory }) {
    const shared = {
      messages: { quick: 3_000, usual: 20_000, long: 1_000_000 }[length],
      producers: PRODUCERS,
      consumers: CONSUMERS,
      workers: WORKERS,
      hideForSeconds: length === "long" ? 30 : 10,
      seed,
    };
    const said = every(20, progress);
    const calm = await deliverAll({ ...shared, directory: join(directory, "calm"), progress: said });
    progress(calm.summary);
    if (!calm.ok) return calm;
    const killed = await deliverAll({
      ...shared,
      directory: join(directory, "killed"),
      killEveryMillis: 3_000,
      progress: said,
    });
    return { ok: killed.ok, summary: `${calm.summary}; ${killed.summary}` };
  },
};

/** One of so many lines. */
function every(count: number, print: (text: string) => void): (text: string) => void {
  let seen = 0;
  return (text) => {
    if (++seen % count === 0) print(text);
  };
}
