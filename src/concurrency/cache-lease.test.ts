import assert from "node:assert/strict";
import { test } from "node:test";
import {
  breakCache,
  type CacheRequest,
  grantCache,
  HANDLE_CACHE as H,
  isAnswerValid,
  needsAnswer,
  nextStep,
  READ_CACHE as R,
  WRITE_CACHE as W,
} from "./cache-lease.ts";

const alone: CacheRequest = {
  requested: R | W | H,
  isLease: true,
  isShared: false,
  isLocked: false,
  others: [],
};

test("the only open of a file may cache everything", () => {
  for (const requested of [R, R | H, R | W, R | W | H])
    assert.equal(grantCache({ ...alone, requested }), requested);
});

test("states that mean nothing by themselves are not granted", () => {
  for (const requested of [H, W, W | H, 8]) assert.equal(grantCache({ ...alone, requested }), 0);
});

test("beside another open no client caches writes; an oplock then has only reads", () => {
  assert.equal(grantCache({ ...alone, isShared: true }), R | H);
  assert.equal(grantCache({ ...alone, isShared: true, isLease: false }), R);
  assert.equal(grantCache({ ...alone, isShared: true, requested: R | W }), R);
});

test("oplocks and handle caches of leases do not mix", () => {
  const oplock = [{ state: R, isLease: false }];
  const lease = [{ state: R | H, isLease: true }];
  assert.equal(grantCache({ ...alone, isShared: true, others: oplock }), R);
  assert.equal(grantCache({ ...alone, isShared: true, isLease: false, others: lease }), 0);
});

test("locked ranges keep newcomers from caching reads", () => {
  assert.equal(grantCache({ ...alone, isShared: true, isLocked: true }), 0);
});

test("each conflict takes away what stands in its way, and waits where the client has something to finish", () => {
  assert.deepEqual(breakCache(R | W | H, "open"), { to: R | H, isAwaited: true });
  assert.deepEqual(breakCache(R | W, "open"), { to: R, isAwaited: true });
  assert.equal(breakCache(R | H, "open"), undefined);
  assert.deepEqual(breakCache(R | H, "overwrite"), { to: 0, isAwaited: false });
  assert.deepEqual(breakCache(R | W | H, "overwrite"), { to: 0, isAwaited: true });
  assert.deepEqual(breakCache(R | H, "sharing"), { to: R, isAwaited: true });
  assert.equal(breakCache(R | W, "sharing"), undefined);
  assert.deepEqual(breakCache(R | W | H, "remove"), { to: R | W, isAwaited: true });
  assert.deepEqual(breakCache(R, "write"), { to: 0, isAwaited: false });
  assert.equal(breakCache(0, "write"), undefined);
});

test("only reads are forgotten without an answer, and an answer keeps no more than was left", () => {
  assert.equal(needsAnswer(R, 0), false);
  assert.equal(needsAnswer(R | H, 0), true);
  assert.equal(needsAnswer(R | W | H, R | H), true);
  assert.equal(isAnswerValid(R, R | H), true);
  assert.equal(isAnswerValid(R | W, R | H), false);
});

test("another client's cache excludes caching writes, even when that client only reads attributes", () => {
  assert.equal(grantCache({ ...alone, others: [{ state: R | H, isLease: true }] }), R | H);
  assert.equal(grantCache({ ...alone, others: [{ state: 0, isLease: true }] }), R | W | H);
});

test("a break that must go further takes handles before reads, and stops when enough is given up", () => {
  assert.equal(nextStep(R | H, 0), R);
  assert.equal(nextStep(R, 0), 0);
  assert.equal(nextStep(R | H, R | H), undefined);
  assert.equal(nextStep(0, 0), undefined);
  assert.equal(nextStep(R | H | W, R), R | W);
});
