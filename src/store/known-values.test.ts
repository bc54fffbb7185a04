import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "../base/limits.ts";
import { KnownValues } from "./known-values.ts";

const bytes = (text: string): Buffer => Buffer.from(text);

function knowing(...keys: string[]): KnownValues {
  const known = new KnownValues();
  for (const key of keys) for (let time = 0; time < 2; time++) known.learn(key, bytes(`${key} as read`));
  return known;
}

test("a value is known from its second reading on, and as it was read", () => {
  const known = new KnownValues();
  const read = bytes("one");
  known.learn("a", read);
  assert.equal(known.get("a"), undefined);
  known.learn("a", read);
  read.fill("x");
  assert.equal(known.get("a")?.toString(), "one");
});

test("what is known follows what is committed", () => {
  for (const others of [0, 10]) {
    const known = knowing("a", "b", "c");
    const batch = new Map<string, Buffer | null>([
      ["a", bytes("written")],
      ["b", null],
    ]);
    for (let other = 0; other < others; other++) batch.set(`other ${other}`, bytes("1"));
    known.follow(batch);
    assert.equal(known.get("a")?.toString(), "written");
    assert.equal(known.get("b"), undefined);
    assert.equal(known.get("c")?.toString(), "c as read");
    assert.equal(known.get("other 1"), undefined);
  }
});

test("a value that grew too long is not known any more", () => {
  const known = knowing("a");
  known.follow(new Map([["a", Buffer.alloc(LIMITS.knownValueBytesMax + 1)]]));
  assert.equal(known.get("a"), undefined);
  known.learn("a", Buffer.alloc(LIMITS.knownValueBytesMax + 1));
  known.learn("a", Buffer.alloc(LIMITS.knownValueBytesMax + 1));
  assert.equal(known.get("a"), undefined);
});

test("whoever takes over a database knows nothing of it", () => {
  const known = knowing("a");
  known.forget();
  assert.equal(known.get("a"), undefined);
});

test("there is an end to what is known", () => {
  const known = new KnownValues();
  for (let count = 0; count < 3 * LIMITS.knownValuesMax; count++) {
    for (let time = 0; time < 2; time++) known.learn(`key ${count}`, bytes("1"));
  }
  let kept = 0;
  for (let count = 0; count < 3 * LIMITS.knownValuesMax; count++) {
    if (known.get(`key ${count}`) !== undefined) kept++;
  }
  assert.ok(kept > 0 && kept <= LIMITS.knownValuesMax);
});
