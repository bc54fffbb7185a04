import assert from "node:assert/strict";
import { test } from "node:test";
import { Awake } from "./awake.ts";
import { LIMITS } from "./limits.ts";

/** A loop that turns by hand, and a clock that stands still meanwhile. */
function byHand(cores = 2) {
  let now = 1_000;
  let waiting: (() => void)[] = [];
  const awake = new Awake({ now: () => now, nextTurn: (run) => waiting.push(run), cores });
  return {
    awake,
    advance: (by: number) => {
      now += by;
    },
    /** What was to run in this turn. */
    turn: () => {
      const runs = waiting;
      waiting = [];
      for (const run of runs) run();
      return runs.length;
    },
  };
}

test("a message that comes alone keeps nobody awake", () => {
  const { awake, advance, turn } = byHand();
  awake.stir(100);
  assert.equal(turn(), 0);
  advance(LIMITS.soonMillis + 0.1);
  awake.stir(100);
  assert.equal(turn(), 0);
});

test("one that follows soon does, once however many they are, for its time and no longer", () => {
  const { awake, advance, turn } = byHand();
  awake.stir(100);
  awake.stir(100);
  awake.stir(100);
  assert.equal(turn(), 1);
  advance(LIMITS.awakeMillis - 0.1);
  assert.equal(turn(), 1, "still in its time");
  awake.stir(100);
  advance(0.2);
  assert.equal(turn(), 1, "the time begins anew with each message");
  advance(LIMITS.awakeMillis);
  assert.equal(turn(), 1, "sees that the time is over");
  assert.equal(turn(), 0);
  awake.stir(100);
  assert.equal(turn(), 1, "and begins again");
});

test("a long message, and what follows it, lets the loop sleep", () => {
  const { awake, turn } = byHand();
  awake.stir(100);
  awake.stir(100);
  assert.equal(turn(), 1);
  awake.stir(LIMITS.awakeBytesMax + 1);
  assert.equal(turn(), 1, "sees that it is over");
  assert.equal(turn(), 0);
  awake.stir(100);
  assert.equal(turn(), 0, "the first short one after it comes alone");
  awake.stir(100);
  assert.equal(turn(), 1);
});

test("the only processor is left to the client", () => {
  const { awake, turn } = byHand(1);
  awake.stir(100);
  awake.stir(100);
  assert.equal(turn(), 0);
});
