import { hasAzurite } from "../support/azurite.ts";
import { migrateAzurite } from "../support/migrate-azurite.ts";
import type { Proof } from "../support/proof.ts";

const OBJECTS = { quick: 1_000, usual: 10_000, long: 50_000 };

export const proof: Proof = {
  name: "azurite-data",
  what: "all that the SDKs wrote to the real Azurite, they read from Holdfast after a migration",
  minutes: 8,
  async run({ directory, length, seed, progress }) {
    if (!hasAzurite()) return { ok: true, isNotRun: true, summary: "npm cannot install azurite here" };
    const { objects, differences, output, code } = await migrateAzurite({
      directory,
      objects: OBJECTS[length],
      seed,
      progress,
    });
    for (const difference of differences.slice(0, 10)) progress(difference);
    if (code !== 0) return { ok: false, summary: `the command ended with ${code}: ${output}` };
    const summary = `${objects} objects compared through the SDKs: ${differences.length} differences`;
    return { ok: differences.length === 0, summary };
  },
};
