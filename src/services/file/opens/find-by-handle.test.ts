import assert from "node:assert/strict";
import { test } from "node:test";
import type { InodeRecord } from "../../../store/records/file.ts";
import { timesOf } from "./find-by-handle.ts";

const MOVES = { writtenAt: false, changedAt: false };
const at = (writtenAt: bigint, changedAt = writtenAt): InodeRecord =>
  ({ writtenAt, changedAt }) as InodeRecord;

test("a change within the millisecond of the last one shows as the later one", () => {
  assert.deepEqual(timesOf(at(50_000n), 50_000n, MOVES), { writtenAt: 50_001n, changedAt: 50_001n });
  assert.deepEqual(timesOf(at(50_007n, 50_000n), 50_000n, MOVES), { writtenAt: 50_008n, changedAt: 50_001n });
  assert.deepEqual(timesOf(at(40_000n), 50_000n, MOVES), { writtenAt: 50_000n, changedAt: 50_000n });
});

test("a time that a client has set into the future does not keep the next change there", () => {
  assert.equal(timesOf(at(99_000_000n), 50_000n, MOVES).writtenAt, 50_000n);
  const keeps = { writtenAt: true, changedAt: true };
  assert.deepEqual(timesOf(at(1n, 2n), 50_000n, keeps), { writtenAt: 1n, changedAt: 2n });
});
