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
function handTimers(): { timers: Timers; soon: (() => void)[]; delays: number[] } {
  const soon: (() => void)[] = [];
  const delays: number[] = [];
  const timers: Timers = {
    after(delay, run) {
      delays.push(delay);
      soon.push(run);
      return { cancel: () => {} };
    },
    every: () => ({ cancel: () => {} }),
  };
  return { timers, soon, delays };
}

test("a chore that is woken runs soon, once for all who rang, and again when somebody rings after it", async () => {
  const { timers, soon, delays } = handTimers();
  const jobs = new BackgroundJobs({ ephemeral: new MemoryStore().ephemeral, timers, log: silentLog });
  const wakeup = new Wakeup();
  let runs = 0;
  const run = async (): Promise<"done"> => {
    runs++;
    return "done";
  };
  wakeup.ring();
  jobs.add({ name: "sweep", interval: 1_000, wakeup, run });
  assert.equal(soon.length, 0, "nobody listened yet");
  wakeup.ring();
  wakeup.ring();
  assert.deepEqual(delays, [LIMITS.jobWakeupMillis]);
  soon[0]!();
  await settle();
  assert.equal(runs, 1);
  wakeup.ring();
  soon[1]!();
  await settle();
  assert.equal(runs, 2);
  await jobs.stop();
  wakeup.ring();
  assert.equal(soon.length, 2, "after the end nobody is woken");
});
