import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "../base/limits.ts";
import { Heartbeats } from "./heartbeat.ts";

const { workerBeatMillis, workerSilenceMillis } = LIMITS;

test("a worker is silent for as long as its heartbeat is missing", () => {
  const beats = new Heartbeats(0);
  beats.beat(1, 0);
  beats.beat(2, 0);
  let now = 0;
  while (now < workerSilenceMillis) {
    now += workerBeatMillis;
    beats.beat(2, now);
    beats.check(now);
  }
  assert.equal(beats.silentFor(1, now), workerSilenceMillis);
  assert.equal(beats.silentFor(2, now), 0);
  beats.beat(1, now);
  assert.equal(beats.silentFor(1, now), 0, "one heartbeat is enough");
});

test("after a pause of the supervisor every worker has a fresh period", () => {
  const beats = new Heartbeats(0);
  beats.beat(1, 0);
  beats.check(workerBeatMillis);
  const resumed = 60 * workerSilenceMillis;
  beats.check(resumed);
  assert.equal(beats.silentFor(1, resumed), 0);
  beats.check(resumed + workerBeatMillis);
  assert.equal(beats.silentFor(1, resumed + workerBeatMillis), workerBeatMillis, "and is watched again");
});

test("checks that come a little late are no pause", () => {
  const beats = new Heartbeats(0);
  beats.beat(1, 0);
  const late = 3 * workerBeatMillis;
  for (let now = late; now <= 2 * workerSilenceMillis; now += late) {
    beats.check(now);
    assert.equal(beats.silentFor(1, now), now);
  }
});

test("a worker that is gone is not silent", () => {
  const beats = new Heartbeats(0);
  beats.beat(1, 0);
  beats.forget(1);
  beats.check(workerBeatMillis);
  assert.equal(beats.silentFor(1, workerSilenceMillis), 0);
});
