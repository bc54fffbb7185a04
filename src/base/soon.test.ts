import assert from "node:assert/strict";
import { test } from "node:test";
import { endedBy, type Soon, whenThere } from "./soon.ts";

const double = (value: number): Soon<number> => 2 * value;
const fail = (): never => {
  throw new RangeError("no");
};

test("what is there goes on at once, and what is not when it comes", async () => {
  assert.equal(whenThere(2, double), 4);
  assert.equal(await whenThere(Promise.resolve(2), double), 4);
  assert.equal(await whenThere(2, (value) => Promise.resolve(double(value))), 4);
});

test("an error takes the way that the value would have taken", async () => {
  assert.throws(() => whenThere(2, fail), RangeError);
  await assert.rejects(async () => whenThere(Promise.resolve(2), fail), RangeError);
  await assert.rejects(
    async () => whenThere(Promise.reject<number>(new RangeError("no")), double),
    RangeError,
  );
});

test("the end comes once, after the outcome and whatever it is", async () => {
  const told: string[] = [];
  const run = (name: string, work: () => Soon<number>): Soon<number> => endedBy(work, () => told.push(name));
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
