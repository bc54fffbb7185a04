import assert from "node:assert/strict";
import { test } from "node:test";
import { checkHistory } from "./linearizability.ts";
import { type LockInput, type LockOperation, type LockOutput, rangeLocks } from "./range-locks.ts";

const DONE: LockOutput = { done: true };
const REFUSED: LockOutput = { refused: true };

/** One after the other, so that there is only one order to try. */
function isLegal(
  ...steps: readonly (readonly [client: number, input: LockInput, output: LockOutput])[]
): boolean {
  const history = steps.map(
    ([client, input, output], at): LockOperation => ({
      client,
      start: at * 2,
      end: at * 2 + 1,
      input,
      output,
    }),
  );
  return checkHistory(history, rangeLocks(4)).legal === true;
}

const lock = (from: number, to: number, isExclusive: boolean): LockInput => ({
  do: "lock",
  from,
  to,
  isExclusive,
});
const restWrite: LockInput = { do: "restWrite", value: "x" };
const everything = { from: 0, to: 4 };

test("locks that bear each other are let through, and what they forbid is refused", () => {
  assert.ok(isLegal([1, lock(0, 2, false), DONE], [2, lock(1, 3, false), DONE], [9, restWrite, REFUSED]));
  assert.ok(
    isLegal([1, lock(0, 2, true), DONE], [2, lock(2, 4, true), DONE], [2, lock(1, 2, false), REFUSED]),
  );
  assert.ok(
    isLegal([1, lock(0, 1, true), DONE], [1, { do: "unlock", from: 0, to: 1 }, DONE], [9, restWrite, DONE]),
  );
  const readBeside: LockInput = { do: "restRead", from: 2, to: 4 };
  assert.ok(isLegal([1, lock(0, 2, true), DONE], [9, readBeside, { found: [undefined, undefined] }]));
  const own: LockInput = { do: "smbWrite", from: 0, to: 2, value: "y" };
  const found: LockOutput = { found: ["y", "y", undefined, undefined] };
  assert.ok(
    isLegal([1, lock(0, 2, true), DONE], [1, own, DONE], [1, { do: "smbRead", ...everything }, found]),
  );
});

test("mutants are caught", () => {
  assert.ok(!isLegal([1, lock(0, 2, true), DONE], [2, lock(1, 3, true), DONE]), "two exclusive locks");
  assert.ok(!isLegal([1, lock(0, 2, false), DONE], [9, restWrite, DONE]), "a REST write past a lock");
  const read: LockInput = { do: "restRead", ...everything };
  const nothing: LockOutput = { found: [undefined, undefined, undefined, undefined] };
  assert.ok(!isLegal([1, lock(0, 2, true), DONE], [9, read, nothing]), "a REST read past an exclusive lock");
  const other: LockInput = { do: "smbWrite", from: 0, to: 1, value: "y" };
  assert.ok(
    !isLegal([1, lock(0, 2, false), DONE], [2, other, DONE]),
    "a write past a shared lock of another",
  );
  assert.ok(!isLegal([9, restWrite, REFUSED]), "a refusal without a lock");
  assert.ok(!isLegal([9, restWrite, DONE], [9, read, nothing]), "a write that is gone");
  assert.ok(!isLegal([9, restWrite, DONE], [9, read, { found: ["x", undefined, "x", "x"] }]), "half a write");
});
