import assert from "node:assert/strict";
import { test } from "node:test";
import { SMB_LIMITS } from "../limits.ts";
import { CreditWindow, chargeFor } from "./credits.ts";

test("a client begins with message id 0 and nothing else", () => {
  const window = new CreditWindow();
  assert.equal(window.take(1n, 1), false);
  assert.equal(window.take(0n, 2), false);
  assert.equal(window.take(0n, 1), true);
  assert.equal(window.take(0n, 1), false);
  assert.equal(window.available, 0);
});

test("each credit adds the next id, and ids may come in any order, each once", () => {
  const window = new CreditWindow();
  assert.ok(window.take(0n, 1));
  assert.equal(window.grant(4), 4);
  assert.ok(window.take(3n, 2));
  assert.equal(window.take(4n, 1), false);
  assert.ok(window.take(1n, 1));
  assert.equal(window.take(2n, 2), false, "id 3 is used");
  assert.ok(window.take(2n, 1));
  assert.equal(window.available, 0);
  assert.equal(window.take(2n ** 63n, 1), false);
});

test("the window never grows past its limit, and a client that asks for nothing still gets one", () => {
  const window = new CreditWindow();
  assert.ok(window.take(0n, 1));
  assert.equal(window.grant(0), 1);
  assert.equal(window.grant(0xffff), SMB_LIMITS.creditsMax - 1);
  assert.equal(window.grant(1), 0);
  // A hole at the start holds the window: no number of later requests moves it.
  for (let id = 2; id <= SMB_LIMITS.creditsMax; id++) assert.ok(window.take(BigInt(id), 1));
  assert.equal(window.grant(100), 0);
  assert.ok(window.take(1n, 1));
  assert.equal(window.grant(100), 100);
});

test("a payload costs a credit for each 64 KiB begun", () => {
  assert.deepEqual([0, 1, 65_536, 65_537, 8 * 1_048_576].map(chargeFor), [1, 1, 1, 2, 128]);
});
