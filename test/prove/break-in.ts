import { breakIn } from "../break-in/break-in.ts";
import type { Proof } from "../support/proof.ts";

const ATTEMPTS_MIN = 400;

export const proof: Proof = {
  name: "break-in",
  what: "no forged, changed, replayed or missing proof of identity is accepted, over HTTP, HTTPS and SMB, nor by way of a copy",
  minutes: 1,
  async run({ progress }) {
    const ledger = await breakIn(progress);
    const { attempts, live, accepted, kinds } = ledger;
    const summary = `${attempts} attempts of ${kinds.size} kinds beside ${live} honest requests, ${accepted.length} accepted`;
    return {
      ok: accepted.length === 0 && attempts >= ATTEMPTS_MIN,
      summary: [summary, ...accepted].join("\n"),
    };
  },
};
