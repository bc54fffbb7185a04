import assert from "node:assert/strict";
import { after, test } from "node:test";
import { seedOfThisRun } from "../support/seed.ts";
import { readCorpus } from "./corpus.ts";
import { Fuzzer, printFinding } from "./fuzzer.ts";
import { REAL_TARGETS } from "./targets.ts";

/** A short run of each target over its corpus; `npm run prove -- --only fuzz` takes its time. */
const fuzzer = new Fuzzer();
after(() => fuzzer.close());

const INPUTS = 1_500;
const MILLIS_MAX = 300;

for (const { name: target } of REAL_TARGETS) {
  test(`${target}: no input crashes it, holds it up or fills the heap`, async (t) => {
    const result = await fuzzer.run({
      target,
      seed: seedOfThisRun(t),
      inputs: INPUTS,
      millisMax: MILLIS_MAX,
      isCorpusTrusted: true,
    });
    assert.deepEqual(
      result.findings.map((finding) => printFinding(target, finding)),
      [],
    );
    assert.ok(result.executed >= readCorpus(target).length, "the whole corpus has run");
    assert.ok(result.blocks > 20, `only ${result.blocks} blocks were reached`);
  });
}

for (const [target, kind] of [
  ["planted-crash", "crash"],
  ["planted-hang", "hang"],
  ["planted-loop", "hang"],
  ["planted-leak", "heap"],
] as const) {
  test(`a fuzzer worth its name finds ${target}`, async (t) => {
    const limits = { inputs: 200_000, millisMax: 60_000, findingsMax: 1, stuckMillis: 1_500 };
    const result = await fuzzer.run({ target, seed: seedOfThisRun(t), ...limits });
    assert.ok(
      result.findings.some((finding) => finding.kind === kind),
      JSON.stringify(result.findings),
    );
  });
}

test("the same seed makes the same inputs", async () => {
  const order = { target: "odata-filter", seed: 7, inputs: 500 };
  const runs = [await fuzzer.run(order), await fuzzer.run(order)];
  const kept = runs.map((run) => run.kept.map((input) => Buffer.from(input).toString("latin1")));
  assert.ok(kept[0]!.length > 1);
  assert.deepEqual(kept[0], kept[1]);
});
