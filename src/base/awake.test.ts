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
  awake.stir();
  assert.equal(turn(), 0);
  advance(LIMITS.soonMillis + 0.1);
  awake.stir();
  assert.equal(turn(), 0);
});

test("one that follows soon does, once however many they are, for its time and no longer", () => {
  const { awake, advance, turn } = byHand();
  awake.stir();
  awake.stir();
  awake.stir();
  assert.equal(turn(), 1);
  advance(LIMITS.awakeMillis - 0.1);
  assert.equal(turn(), 1, "still in its time");
  awake.stir();
  advance(0.2);
  assert.equal(turn(), 1, "the time begins anew with each message");
  advance(LIMITS.awakeMillis);
  assert.equal(turn(), 1, "sees that the time is over");
  assert.equal(turn(), 0);
  awake.stir();
  assert.equal(turn(), 1, "and begins again");
});

test("the only processor is left to the client", () => {
  const { awake, turn } = byHand(1);
  awake.stir();
  awake.stir();
  assert.equal(turn(), 0);
});
