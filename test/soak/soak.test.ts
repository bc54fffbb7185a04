import assert from "node:assert/strict";
import { test } from "node:test";
import { MIB } from "../../src/base/limits.ts";
import { brokenIn, type Sample, type SoakOutcome, trendOf } from "./soak.ts";

const sample = (seconds: number, mebibytes: number, descriptors = 40): Sample => ({
  seconds,
  memoryBytes: mebibytes * MIB,
  descriptors,
});
const flat = Array.from({ length: 100 }, (_, i) => sample(i * 2, 200 + (i % 7)));
const good: SoakOutcome = {
  requests: 1_000,
  errors: [],
  rateMax: 1_000,
  rate: 600,
  samples: flat,
  delayMillisP99: 12,
  liveBytes: 100 * MIB,
  diskBytes: 150 * MIB,
};

test("a soak that stays flat holds, and each way of growing is called by its name", () => {
  assert.deepEqual(brokenIn(good), []);
  const leak = flat.map(({ seconds }) => sample(seconds, 200 + seconds / 4));
  assert.match(brokenIn({ ...good, samples: leak }).join(), /memory grows by 50 MiB/);
  const descriptors = flat.map(({ seconds }) => sample(seconds, 200, 40 + seconds));
  assert.match(brokenIn({ ...good, samples: descriptors }).join(), /descriptors go from 88 to 238/);
  assert.match(brokenIn({ ...good, delayMillisP99: 50 }).join(), /event loop/);
  assert.match(brokenIn({ ...good, diskBytes: 201 * MIB }).join(), /disk/);
  assert.match(brokenIn({ ...good, errors: ["3 requests failed: 500"] }).join(), /3 requests failed/);
});

test("one odd sample does not make a trend", () => {
  const odd = flat.map((one, i) => (i === 90 ? sample(one.seconds, 400) : one));
  assert.ok(trendOf(odd).growthBytes < 10 * MIB);
  assert.equal(
    Math.round(trendOf(flat.map(({ seconds }) => sample(seconds, seconds))).growthBytes / MIB),
    198,
  );
});
