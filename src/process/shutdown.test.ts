import assert from "node:assert/strict";
import { test } from "node:test";
import type { Timers } from "../base/clock.ts";
import { ClosingTooSlow, closeWithin } from "./shutdown.ts";

test("a shutdown that takes too long ends with the names of what did not close", async () => {
  let runOut = (): void => {};
  const timers: Timers = {
    after: (_, run) => {
      runOut = run;
      return { cancel() {} };
    },
    every: () => ({ cancel() {} }),
  };
  const closed = closeWithin(
    5_000,
    async (closing) => {
      await closing.step("connections", async () => {});
      await Promise.all(["records", "logs"].map((name) => closing.step(name, () => new Promise(() => {}))));
    },
    timers,
  );
  await Promise.resolve();
  setImmediate(() => runOut());
  await assert.rejects(closed, (error: Error) => {
    assert.ok(error instanceof ClosingTooSlow);
    assert.equal(error.message, "not closed after 5 s: records, logs");
    return true;
  });
});

test("a shutdown in time is not disturbed, and one that fails says why", async () => {
  await closeWithin(1_000, (closing) => closing.step("records", async () => {}));
  const broken = closeWithin(1_000, () => Promise.reject(new Error("no")));
  await assert.rejects(broken, { message: "no" });
});
