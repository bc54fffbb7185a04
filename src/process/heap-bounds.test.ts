import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { LIMITS, MIB } from "../base/limits.ts";
import { boundsFor } from "./heap-bounds.ts";

test("a young generation that is half as large as it may be grows once more, and then not", () => {
  const oldBytes = MIB;
  for (const youngBytes of [1, 2, 4].map((mib) => 0.98 * mib * MIB))
    assert.equal(boundsFor({ youngBytes, oldBytes }).youngFactor, 2);
  for (const youngBytes of [8, 16].map((mib) => 0.98 * mib * MIB))
    assert.equal(boundsFor({ youngBytes, oldBytes }).youngFactor, 1);
});

test("an old generation beyond its bound is marked early, a smaller one when V8 chooses", () => {
  const youngBytes = LIMITS.heapYoungBytes;
  assert.equal(boundsFor({ youngBytes, oldBytes: LIMITS.heapOldBytes }).triggerPercent, 0);
  assert.equal(boundsFor({ youngBytes, oldBytes: LIMITS.heapOldBytes + 1 }).triggerPercent, 10);
});

/**
 * 30 MiB stay alive, and so much again and again outlives the young generation and dies. Prints the largest
 * heap.
 */
const LOAD = `
  import { getHeapSpaceStatistics } from "node:v8";
  import { Worker } from "node:worker_threads";
  const { boundHeap } = await import(process.argv[1]);
  if (process.argv[2] === "bounded") boundHeap();
  else (await import("node:v8")).setFlagsFromString("--heap-growing-percent=300");
  const objects = (count) => Array.from({ length: count }, (_, at) => ({ at, pair: [at, at] }));
  await new Promise((resolve) => new Worker("0", { eval: true }).on("exit", resolve));
  const alive = [];
  const peak = { young: 0, old: 0 };
  const dying = [];
  for (let round = 0; round < 500; round++) {
    if (round < 150) alive.push(objects(2_000));
    else dying[round % 20] = objects(4_000);
    await new Promise((resolve) => setTimeout(resolve, 5));
    for (const { space_name, space_size, space_used_size } of getHeapSpaceStatistics()) {
      if (space_name === "new_space") peak.young = Math.max(peak.young, space_size);
      if (space_name === "old_space") peak.old = Math.max(peak.old, space_used_size);
    }
  }
  console.log(JSON.stringify({ ...peak, alive: alive.length }));
`;

test("a heap of which much is alive is bounded by bytes, also when a thread has been started", () => {
  const module = new URL("./heap-bounds.ts", import.meta.url).href;
  const peakOf = (mode: string): { readonly young: number; readonly old: number } => {
    const args = ["--import", "tsx", "--input-type=module", "-e", LOAD, module, mode];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    assert.notEqual(stdout, "", stderr);
    return JSON.parse(stdout) as { young: number; old: number };
  };
  const [bounded, free] = [peakOf("bounded"), peakOf("free")];
  assert.ok(bounded.young <= 2 * LIMITS.heapYoungBytes, `${bounded.young} bytes of young generation`);
  assert.ok(
    bounded.old < 0.75 * free.old,
    `${bounded.old} bytes of old generation, ${free.old} without bounds`,
  );
});
