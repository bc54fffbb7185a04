import { test } from "node:test";
import { seededRandom, systemRandom } from "../../src/base/random.ts";
import { onEachEngine } from "../kit/blob.ts";
import { PageHistory } from "../support/page-history.ts";

onEachEngine("histories of page blobs", (kit) => {
  test("writes, clears, snapshots, copies and deletions leave what plain buffers have, and nothing behind", async (t) => {
    const seed = Number(process.env.HOLDFAST_SEED ?? Math.floor(systemRandom.fraction() * 2 ** 31));
    t.diagnostic(`seed ${seed}`);
    await new PageHistory(kit, seededRandom(seed)).run(150);
  });
});
