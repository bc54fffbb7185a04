import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../base/clock.ts";
import { revisionAt } from "../../base/revision.ts";
import { SLOTS, SlotRevisions } from "./slot-revisions.ts";

test("members of different slots never make the same revision, and those of each increase", () => {
  const clock = new ManualClock();
  const members = [0, 1, 57, 99].map((slot) => {
    const revisions = new SlotRevisions(clock);
    revisions.assign(slot, 0n);
    return { slot, revisions };
  });
  const all = new Set<bigint>();
  for (let round = 0; round < 500; round++) {
    if (round % 100 === 99) clock.advance(round % 200 === 99 ? 3 : -3);
    for (const { slot, revisions } of members) {
      const before = revisions.last;
      const made = revisions.next(round % 7 === 0 ? members[0]!.revisions.last : undefined);
      assert.ok(made > before);
      assert.equal(made % SLOTS, BigInt(slot));
      assert.ok(!all.has(made));
      all.add(made);
    }
  }
});

test("the first member is on the tick of the clock; all start above the given revision", () => {
  const clock = new ManualClock();
  const revisions = new SlotRevisions(clock);
  revisions.assign(0, 5n);
  assert.equal(revisions.next(), revisionAt(clock.now()));
  const far = revisionAt(clock.now() + 10_000) + 17n;
  const late = new SlotRevisions(clock);
  late.assign(3, far);
  assert.ok(late.next() > far);
});
