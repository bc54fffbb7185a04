import assert from "node:assert/strict";
import { test } from "node:test";
import { BusyPoll } from "./busy-poll.ts";
import { LIMITS } from "./limits.ts";

/** An event loop and a clock that only the test advances. */
function steppedLoop(cores = 2) {
  let now = 1_000;
  let waiting: (() => void)[] = [];
  const busyPoll = new BusyPoll({ now: () => now, nextTick: (run) => waiting.push(run), cores });
  return {
    busyPoll,
    advance: (by: number) => {
      now += by;
    },
    /** Runs one tick; returns how many callbacks it ran. */
    tick: () => {
      const runs = waiting;
      waiting = [];
      for (const run of runs) run();
      return runs.length;
    },
  };
}

test("a single message starts no polling", () => {
  const { busyPoll, advance, tick } = steppedLoop();
  busyPoll.poke(100);
  assert.equal(tick(), 0);
  advance(LIMITS.busyPollGapMillis + 0.1);
  busyPoll.poke(100);
  assert.equal(tick(), 0);
});

test("messages in quick succession start one poll, which ends after its time", () => {
  const { busyPoll, advance, tick } = steppedLoop();
  busyPoll.poke(100);
  busyPoll.poke(100);
  busyPoll.poke(100);
  assert.equal(tick(), 1);
  advance(LIMITS.busyPollMillis - 0.1);
  assert.equal(tick(), 1, "still polling");
  busyPoll.poke(100);
  advance(0.2);
  assert.equal(tick(), 1, "each message extends the time");
  advance(LIMITS.busyPollMillis);
  assert.equal(tick(), 1, "the last tick finds that the time is over");
  assert.equal(tick(), 0);
  busyPoll.poke(100);
  assert.equal(tick(), 1, "polling starts again");
});

test("a long message ends polling", () => {
  const { busyPoll, tick } = steppedLoop();
  busyPoll.poke(100);
  busyPoll.poke(100);
  assert.equal(tick(), 1);
  busyPoll.poke(LIMITS.busyPollBytesMax + 1);
  assert.equal(tick(), 1, "the last tick finds that polling has ended");
  assert.equal(tick(), 0);
  busyPoll.poke(100);
  assert.equal(tick(), 0, "one short message after it is a single message");
  busyPoll.poke(100);
  assert.equal(tick(), 1);
});

test("with one processor there is no polling", () => {
  const { busyPoll, tick } = steppedLoop(1);
  busyPoll.poke(100);
  busyPoll.poke(100);
  assert.equal(tick(), 0);
});
