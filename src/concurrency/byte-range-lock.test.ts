import assert from "node:assert/strict";
import { test } from "node:test";
import {
  conflictingLock,
  type HandleLock,
  mayRead,
  mayRestWrite,
  mayWrite,
  overlaps,
  withoutLock,
} from "./byte-range-lock.ts";

const range = (offset: number, length: number) => ({ offset: BigInt(offset), length: BigInt(length) });
const lock = (offset: number, length: number, isExclusive: boolean, handle = 1n): HandleLock => ({
  ...range(offset, length),
  isExclusive,
  handle,
});

test("ranges overlap when they share a byte; one of no bytes lies between two", () => {
  for (const [one, other, isOverlapping] of [
    [range(0, 10), range(9, 1), true],
    [range(0, 10), range(10, 1), false],
    [range(5, 0), range(0, 10), true],
    [range(0, 0), range(0, 10), false],
    [range(10, 0), range(0, 10), false],
    [range(5, 0), range(5, 0), false],
    [{ offset: (1n << 64n) - 1n, length: 1n }, { offset: 0n, length: (1n << 64n) - 1n }, false],
  ] as const) {
    assert.equal(overlaps(one, other), isOverlapping);
    assert.equal(overlaps(other, one), isOverlapping);
  }
});

test("shared locks are compatible; an exclusive one allows only a shared one of the same handle over it", () => {
  const shared = [lock(0, 100, false)];
  const exclusive = [lock(0, 100, true)];
  assert.equal(conflictingLock(shared, { ...range(50, 10), isExclusive: false }, 2n), undefined);
  assert.equal(conflictingLock(shared, { ...range(50, 10), isExclusive: true }, 2n), shared[0]);
  assert.equal(conflictingLock(shared, { ...range(50, 10), isExclusive: true }, 1n), shared[0]);
  assert.equal(conflictingLock(exclusive, { ...range(50, 10), isExclusive: false }, 2n), exclusive[0]);
  assert.equal(conflictingLock(exclusive, { ...range(50, 10), isExclusive: false }, 1n), undefined);
  assert.equal(conflictingLock(exclusive, { ...range(50, 10), isExclusive: true }, 1n), exclusive[0]);
  assert.equal(conflictingLock(exclusive, { ...range(100, 10), isExclusive: true }, 2n), undefined);
});

test("exclusive locks of other handles refuse reads; every lock but the handle's own exclusive one refuses writes", () => {
  const locks = [lock(0, 100, true), lock(200, 100, false, 2n)];
  assert.equal(mayRead(locks, range(50, 1), 1n), true);
  assert.equal(mayRead(locks, range(50, 1), 2n), false);
  assert.equal(mayRead(locks, range(50, 1), undefined), false);
  assert.equal(mayRead(locks, range(250, 1), undefined), true);
  assert.equal(mayWrite(locks, range(50, 1), 1n), true);
  assert.equal(mayWrite(locks, range(50, 1), 2n), false);
  assert.equal(mayWrite(locks, range(250, 1), 2n), false);
  assert.equal(mayWrite(locks, range(150, 50), 3n), true);
});

test("a REST write needs the whole file, so any lock refuses it", () => {
  assert.equal(mayRestWrite([]), true);
  assert.equal(mayRestWrite([lock(1_000, 1, false)]), false);
  assert.equal(mayRestWrite([lock(0, 1, true)]), false);
});

test("a lock is released by exactly the range it was acquired with", () => {
  const locks = [lock(0, 10, true), lock(20, 10, false)];
  assert.equal(withoutLock(locks, range(0, 5)), undefined);
  assert.deepEqual(withoutLock(locks, range(0, 10)), [locks[1]]);
});
