import assert from "node:assert/strict";
import { test } from "node:test";
import { finallyDo, type MaybePromise, then } from "./maybe-promise.ts";

const double = (value: number): MaybePromise<number> => 2 * value;
const fail = (): never => {
  throw new RangeError("no");
};

test("`then` continues at once with a value, and later with a promise", async () => {
  assert.equal(then(2, double), 4);
  assert.equal(await then(Promise.resolve(2), double), 4);
  assert.equal(await then(2, (value) => Promise.resolve(double(value))), 4);
});

test("an error is thrown or rejects, as the value would have been returned or resolved", async () => {
  assert.throws(() => then(2, fail), RangeError);
  await assert.rejects(async () => then(Promise.resolve(2), fail), RangeError);
  await assert.rejects(async () => then(Promise.reject<number>(new RangeError("no")), double), RangeError);
});

test("`finallyDo` runs its end once, after every kind of outcome", async () => {
  const ended: string[] = [];
  const run = (name: string, work: () => MaybePromise<number>): MaybePromise<number> =>
    finallyDo(work, () => ended.push(name));
  assert.equal(
    run("at once", () => 1),
    1,
  );
  assert.throws(() => run("thrown", fail), RangeError);
  assert.deepEqual(ended, ["at once", "thrown"]);
  let resolveLater: (value: number) => void = () => {};
  const later = run("later", () => new Promise((resolve) => (resolveLater = resolve)));
  assert.equal(ended.length, 2);
  resolveLater(3);
  assert.equal(await later, 3);
  await assert.rejects(async () => run("rejected", () => Promise.reject(new RangeError("no"))), RangeError);
  assert.deepEqual(ended, ["at once", "thrown", "later", "rejected"]);
});
