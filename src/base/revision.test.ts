import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "./clock.ts";
import {
  etagOf,
  instantOf,
  RevisionSource,
  revisionAt,
  revisionOfTimestamp,
  timestampOf,
} from "./revision.ts";

const newYear = Date.UTC(2026, 0, 1);

test("a revision is ticks of 100 ns since the year 1, as .NET counts them", () => {
  assert.equal(revisionAt(0), 621_355_968_000_000_000n);
  assert.equal(revisionAt(newYear), 639_028_224_000_000_000n);
  assert.equal(instantOf(revisionAt(newYear)), newYear);
  assert.equal(instantOf(revisionAt(newYear) + 9_999n), newYear, "to the millisecond, never rounded up");
});

test("an ETag is the revision in hexadecimal, as Azure prints it", () => {
  assert.equal(etagOf(revisionAt(newYear)), "0x8DE48C8B4F80000");
  assert.equal(BigInt(etagOf(123_456_789n)), 123_456_789n);
});

test("timestamps carry all seven digits and read back to the same revision", () => {
  assert.equal(timestampOf(revisionAt(newYear)), "2026-01-01T00:00:00.0000000Z");
  const odd = revisionAt(newYear) + 12_345_678n;
  assert.equal(timestampOf(odd), "2026-01-01T00:00:01.2345678Z");
  assert.equal(revisionOfTimestamp(timestampOf(odd)), odd);
  for (const text of ["", "2026-01-01", "2026-01-01T00:00:00Z", "2026-13-01T00:00:00.0000000Z", "x"]) {
    assert.equal(revisionOfTimestamp(text), undefined, text);
  }
});

test("within one millisecond revisions count up, and the clock takes over again", () => {
  const clock = new ManualClock(newYear);
  const source = new RevisionSource(clock);
  const wall = revisionAt(newYear);
  assert.deepEqual([source.next(), source.next(), source.next()], [wall, wall + 1n, wall + 2n]);
  clock.advance(1);
  assert.equal(source.next(), wall + 10_000n);
});

test("a clock that goes back does not take revisions with it", () => {
  const clock = new ManualClock(newYear);
  const source = new RevisionSource(clock);
  const before = source.next();
  clock.advance(-86_400_000);
  assert.equal(source.next(), before + 1n);
  assert.equal(source.last, before + 1n);
});

test("the next revision is above what was seen and what it is asked to exceed", () => {
  const source = new RevisionSource(new ManualClock(newYear), revisionAt(newYear) + 50n);
  assert.equal(source.next(), revisionAt(newYear) + 51n);
  source.observe(revisionAt(newYear) + 70n);
  source.observe(revisionAt(newYear) + 60n);
  assert.equal(source.next(), revisionAt(newYear) + 71n);
  assert.equal(source.next(revisionAt(newYear) + 100n), revisionAt(newYear) + 101n);
  assert.equal(source.next(revisionAt(newYear)), revisionAt(newYear) + 102n);
});
