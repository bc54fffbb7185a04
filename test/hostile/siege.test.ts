import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { MIB } from "../../src/base/limits.ts";
import {
  type AttackOutcome,
  besiege,
  brokenBy,
  isSlow,
  joinRuns,
  MEMORY_GROWTH_MAX,
  printOutcome,
} from "./siege/siege.ts";

const SHORT = [
  "slow headers",
  "slow bodies",
  "silent connections",
  "oversize everything",
  "XML bombs",
  "costly queries",
];
/** Of those that run over TLS as well, the ones in which TLS makes a difference. */
const SHORT_SECURE = [
  "slow bodies",
  "slow readers",
  "connections without a handshake",
  "half handshakes",
  "aborted downloads",
];

/**
 * A short siege. How long the honest wait is for `npm run prove -- --only hostile`: beside other tests it
 * says little.
 */
async function withstand(attacks: readonly string[], isSecure: boolean): Promise<readonly string[]> {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-siege-"));
  try {
    const outcome = await besiege({ directory, seconds: 1, connections: 200, attacks, isSecure });
    assert.deepEqual(
      outcome.attacks.map(({ name }) => name),
      attacks,
    );
    assert.ok(outcome.isAlive && outcome.hasStopped);
    for (const attack of outcome.attacks) {
      assert.equal(attack.during.errors, 0, printOutcome(attack));
      assert.ok(attack.during.count > 0, printOutcome(attack));
    }
    return outcome.attacks.map(printOutcome);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

test("honest clients are served while the server is under attack, and it outlives the attack", async (t) => {
  for (const line of await withstand(SHORT, false)) t.diagnostic(line);
});

test("so are those that speak HTTPS, while clients break TLS off, leave it half begun or do not read", async (t) => {
  for (const line of await withstand(SHORT_SECURE, true)) t.diagnostic(line);
});

const calm = { count: 1_000, errors: 0, p50: 2, p99: 20, max: 50 };
const outcome: AttackOutcome = {
  name: "slow headers",
  before: calm,
  during: calm,
  baseBytes: 100 * MIB,
  peakBytes: 150 * MIB,
  growthMax: MEMORY_GROWTH_MAX,
  p99s: [calm.p99],
};
/** A run of the same attack in which the honest waited so long. */
const runWith = (p99: number, more: Partial<AttackOutcome> = {}): AttackOutcome => ({
  ...outcome,
  during: { ...calm, p99 },
  p99s: [p99],
  ...more,
});

test("an attack that makes the honest wait, fails them or fills the memory is called by its name", () => {
  assert.deepEqual(brokenBy(outcome), []);
  assert.deepEqual(brokenBy({ ...outcome, during: { ...calm, p99: 50 } }), ["slow headers: p99 2.5x"]);
  assert.match(brokenBy({ ...outcome, during: { ...calm, errors: 1 } }).join(), /1 honest requests failed/);
  assert.match(brokenBy({ ...outcome, during: { ...calm, count: 0 } }).join(), /no honest request/);
  const peakBytes = 100 * MIB + MEMORY_GROWTH_MAX + MIB;
  assert.match(brokenBy({ ...outcome, peakBytes }).join(), /memory \+129 MiB/);
  // A few milliseconds more are the machine's.
  const quick = { ...calm, p99: 3 };
  assert.deepEqual(brokenBy({ ...outcome, before: quick, during: { ...calm, p99: 12 } }), []);
});

test("an attack that was slow once and in time when it ran again holds", () => {
  const joined = joinRuns(runWith(260), runWith(22));
  assert.equal(isSlow(joined), false);
  assert.deepEqual(brokenBy(joined), []);
  assert.deepEqual(joined.p99s, [260, 22]);
});

test("an attack that is slow each time it runs has broken the promise, by the least it was slow", () => {
  const joined = [runWith(90), runWith(50), runWith(70)].reduce(joinRuns);
  assert.deepEqual(brokenBy(joined), ["slow headers: p99 2.5x at best of 3 runs"]);
});

test("requests that failed and memory that grew in any run are not made good by another", () => {
  const peakBytes = 100 * MIB + MEMORY_GROWTH_MAX + MIB;
  const during = { ...calm, p99: 90, errors: 3 };
  const slow = runWith(90, { peakBytes, during });
  for (const joined of [joinRuns(slow, runWith(22)), joinRuns(runWith(22), slow)])
    assert.deepEqual(brokenBy(joined), [
      "slow headers: 3 honest requests failed",
      "slow headers: memory +129 MiB",
    ]);
  assert.match(
    brokenBy(joinRuns(runWith(90, { during: { ...calm, count: 0 } }), runWith(22))).join(),
    /no honest request/,
  );
});
