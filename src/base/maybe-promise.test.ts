import assert from "node:assert/strict";
import { test } from "node:test";
import { finallyDo, type MaybePromise, then } from "./maybe-promise.ts";

const double = (value: number): MaybePromise<number> => 2 * value;
const fail = (): never => {
  throw new RangeError("no");
};

test("what is there goes on at once, and what is not when it comes", async () => {
  assert.equal(then(2, double), 4);
  assert.equal(await then(Promise.resolve(2), double), 4);
  assert.equal(await then(2, (value) => Promise.resolve(double(value))), 4);
});

test("an error takes the way that the value would have taken", async () => {
  assert.throws(() => then(2, fail), RangeError);
  await assert.rejects(async () => then(Promise.resolve(2), fail), RangeError);
  await assert.rejects(async () => then(Promise.reject<number>(new RangeError("no")), double), RangeError);
});

test("the end comes once, after the outcome and whatever it is", async () => {
  const told: string[] = [];
  const run = (name: string, work: () => MaybePromise<number>): MaybePromise<number> =>
    finallyDo(work, () => told.push(name));
  assert.equal(
    run("at once", () => 1),
    1,
  );
  assert.throws(() => run("thrown", fail), RangeError);
  assert.deepEqual(told, ["at once", "thrown"]);
  let come: (value: number) => void = () => {};
  const later = run("later", () => new Promise((resolve) => (come = resolve)));
  assert.equal(told.length, 2);
  come(3);
  assert.equal(await later, 3);
  await assert.rejects(async () => run("rejected", () => Promise.reject(new RangeError("no"))), RangeError);
  assert.deepEqual(told, ["at once", "thrown", "later", "rejected"]);
});
