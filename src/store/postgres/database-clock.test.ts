import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock, pause } from "../../base/clock.ts";
import { DatabaseClock } from "./database-clock.ts";

const answerAt = (at: number) => async () => ({ at, answer: undefined });

test("a member whose clock is hours off follows the database", async () => {
  const local = new ManualClock(1_000_000);
  const clock = new DatabaseClock(local);
  await clock.measure(answerAt(8_200_000));
  assert.ok(Math.abs(clock.now() - 8_200_000) <= 50);
  local.advance(500);
  assert.ok(Math.abs(clock.now() - 8_200_500) <= 50);
});

test("the quickest answer counts, until it is forgotten", async () => {
  const local = new ManualClock(0);
  const clock = new DatabaseClock(local);
  await clock.measure(answerAt(1_000));
  // An answer that took long says little: its time may be wrong by half of that.
  await clock.measure(async () => {
    await pause(60);
    return { at: 5_000, answer: undefined };
  });
  assert.ok(Math.abs(clock.now() - 1_000) <= 20);
  clock.forget();
  await clock.measure(answerAt(9_000));
  assert.ok(Math.abs(clock.now() - 9_000) <= 20);
});
