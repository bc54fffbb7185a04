import assert from "node:assert/strict";
import { test } from "node:test";
import { BusyPoll } from "./busy-poll.ts";
import { LIMITS } from "./limits.ts";

/** A loop that turns by hand, and a clock that stands still meanwhile. */
function byHand(cores = 2) {
  let now = 1_000;
  let waiting: (() => void)[] = [];
  const busyPoll = new BusyPoll({ now: () => now, nextTick: (run) => waiting.push(run), cores });
  return {
    awake: busyPoll,
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
  const { awake: busyPoll, advance, turn } = byHand();
  busyPoll.poke(100);
  assert.equal(turn(), 0);
  advance(LIMITS.busyPollGapMillis + 0.1);
  busyPoll.poke(100);
  assert.equal(turn(), 0);
});

test("one that follows soon does, once however many they are, for its time and no longer", () => {
  const { awake: busyPoll, advance, turn } = byHand();
  busyPoll.poke(100);
  busyPoll.poke(100);
  busyPoll.poke(100);
  assert.equal(turn(), 1);
  advance(LIMITS.busyPollMillis - 0.1);
  assert.equal(turn(), 1, "still in its time");
  busyPoll.poke(100);
  advance(0.2);
  assert.equal(turn(), 1, "the time begins anew with each message");
  advance(LIMITS.busyPollMillis);
  assert.equal(turn(), 1, "sees that the time is over");
  assert.equal(turn(), 0);
  busyPoll.poke(100);
  assert.equal(turn(), 1, "and begins again");
});

test("a long message, and what follows it, lets the loop sleep", () => {
  const { awake: busyPoll, turn } = byHand();
  busyPoll.poke(100);
  busyPoll.poke(100);
  assert.equal(turn(), 1);
  busyPoll.poke(LIMITS.busyPollBytesMax + 1);
  assert.equal(turn(), 1, "sees that it is over");
  assert.equal(turn(), 0);
  busyPoll.poke(100);
  assert.equal(turn(), 0, "the first short one after it comes alone");
  busyPoll.poke(100);
  assert.equal(turn(), 1);
});

test("the only processor is left to the client", () => {
  const { awake: busyPoll, turn } = byHand(1);
  busyPoll.poke(100);
  busyPoll.poke(100);
  assert.equal(turn(), 0);
});
