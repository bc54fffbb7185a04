import assert from "node:assert/strict";
import { test } from "node:test";
import { withSummaries } from "../../scripts/prove/guarantees.ts";

const DOCUMENT = [
  "before",
  "<!-- figures: written by npm run prove -- --docs -->",
  "| proof | what it watches | last verdict | figures |",
  "| --- | --- | --- | --- |",
  "| `b` | b is kept | holds (usual) | 1 |",
  "| `c` | c is kept | holds (usual) | 2 |",
  "<!-- end of figures -->",
  "after",
].join("\n");

const outcome = { what: "it is kept", seed: 1, millis: 2, ok: true };

test("figures replace the rows of what was run, and leave the others", () => {
  const outcomes = [
    { ...outcome, name: "c", ok: false, summary: "3 of 4 | lost\nand a long story" },
    { ...outcome, name: "a", summary: "5" },
    { ...outcome, name: "b", isNotRun: true, summary: "it needs root" },
  ];
  const written = withSummaries(DOCUMENT, outcomes, "quick");
  assert.deepEqual(written.split("\n").slice(4, 7), [
    "| `a` | it is kept | holds (quick) | 5 |",
    "| `b` | b is kept | holds (usual) | 1 |",
    "| `c` | it is kept | BROKEN (quick) | 3 of 4 / lost |",
  ]);
  assert.match(written, /^before\n/);
  assert.match(written, /<!-- end of figures -->\nafter$/);
  assert.throws(() => withSummaries("nothing", [], "quick"), /no place for figures/);
});
