import { seededRandom } from "../../src/base/random.ts";
import { kitOf } from "../kit/blob.ts";
import { ENGINES, startTestServer } from "../kit/server.ts";
import { PageHistory } from "../support/page-history.ts";
import type { Proof } from "../support/proof.ts";

const STEPS = 150;

export const proof: Proof = {
  name: "page-histories",
  what: "page blobs, their snapshots, copies and differences are what plain buffers say, and leave nothing behind",
  minutes: 1,
  async run({ length, progress, seed }) {
    const rounds = { quick: 8, usual: 30, long: 150 }[length];
    for (let round = 0; round < rounds; round++) {
      const server = await startTestServer({ engine: ENGINES[round % ENGINES.length]! });
      try {
        await new PageHistory(kitOf(server), seededRandom(seed + round)).run(STEPS);
      } finally {
        await server.close();
      }
      if (round % 20 === 19) progress(`${round + 1} histories`);
    }
    return { ok: true, summary: `${rounds} histories of ${STEPS} steps, 0 differences` };
  },
};
