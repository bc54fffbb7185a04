import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock, type Timers } from "../../base/clock.ts";
import { SMB_LIMITS } from "../limits.ts";
import { LoginDelay } from "./login-delay.ts";

function delays(): { readonly delay: LoginDelay; readonly waited: number[]; readonly clock: ManualClock } {
  const clock = new ManualClock();
  const waited: number[] = [];
  const timers: Timers = {
    after: (millis, run) => {
      waited.push(millis);
      run();
      return { cancel() {} };
    },
    every: () => ({ cancel() {} }),
  };
  return { delay: new LoginDelay(clock, timers), waited, clock };
}

test("each failed login from an address makes the next one take twice as long, up to a limit", async () => {
  const { delay, waited } = delays();
  for (let i = 0; i < 10; i++) await delay.failed("10.0.0.1");
  await delay.failed("10.0.0.2");
  const { loginDelayMillisMin: min, loginDelayMillisMax: max } = SMB_LIMITS;
  assert.deepEqual(waited.slice(0, 4), [min, min * 2, min * 4, min * 8]);
  assert.equal(waited[9], max);
  assert.equal(waited[10], min);
});

test("a login that succeeds, or enough time, forgets the failures", async () => {
  const { delay, waited, clock } = delays();
  await delay.failed("a");
  delay.succeeded("a");
  await delay.failed("a");
  clock.advance(SMB_LIMITS.loginFailureMillis);
  await delay.failed("a");
  assert.deepEqual(waited, [100, 100, 100]);
});
