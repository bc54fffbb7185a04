import assert from "node:assert/strict";
import { test } from "node:test";
import { settle } from "../../../test/support/extents.ts";
import type { Timers } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { silentLog } from "../../observability/log.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import { BackgroundJobs } from "./background-jobs.ts";
import { Wakeup } from "./wakeup.ts";

/** Timers that a test fires by hand. */
function handTimers(): { timers: Timers; scheduled: (() => void)[]; delays: number[] } {
  const scheduled: (() => void)[] = [];
  const delays: number[] = [];
  const timers: Timers = {
    after(delay, run) {
      delays.push(delay);
      scheduled.push(run);
      return { cancel: () => {} };
    },
    every: () => ({ cancel: () => {} }),
  };
  return { timers, scheduled, delays };
}

test("a woken job runs early, once for all signals before it, and again for a signal after it", async () => {
  const { timers, scheduled, delays } = handTimers();
  const jobs = new BackgroundJobs({ ephemeral: new MemoryStore().ephemeral, timers, log: silentLog });
  const wakeup = new Wakeup();
  let runs = 0;
  const run = async (): Promise<"done"> => {
    runs++;
    return "done";
  };
  wakeup.ring();
  jobs.add({ name: "sweep", interval: 1_000, wakeup, run });
  assert.equal(scheduled.length, 0, "there was no listener yet");
  wakeup.ring();
  wakeup.ring();
  assert.deepEqual(delays, [LIMITS.jobWakeupMillis]);
  scheduled[0]!();
  await settle();
  assert.equal(runs, 1);
  wakeup.ring();
  scheduled[1]!();
  await settle();
  assert.equal(runs, 2);
  await jobs.stop();
  wakeup.ring();
  assert.equal(scheduled.length, 2, "a stopped job is not woken");
});
