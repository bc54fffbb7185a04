import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "../base/limits.ts";
import type { Snapshot } from "./overlay.ts";
import { CachedSnapshot, ValueCache } from "./value-cache.ts";

const bytes = (text: string): Buffer => Buffer.from(text);

function knowing(...keys: string[]): ValueCache {
  const cache = new ValueCache();
  for (const key of keys) for (let time = 0; time < 2; time++) cache.put(key, bytes(`${key} as read`));
  return cache;
}

test("a value is cached from its second read on, as it was read", () => {
  const cache = new ValueCache();
  const read = bytes("one");
  cache.put("a", read);
  assert.equal(cache.get("a"), undefined);
  cache.put("a", read);
  read.fill("x");
  assert.equal(cache.get("a")?.toString(), "one");
});

test("update applies committed writes", () => {
  for (const others of [0, 10]) {
    const cache = knowing("a", "b", "c");
    const batch = new Map<string, Buffer | null>([
      ["a", bytes("written")],
      ["b", null],
    ]);
    for (let other = 0; other < others; other++) batch.set(`other ${other}`, bytes("1"));
    cache.update(batch);
    assert.equal(cache.get("a")?.toString(), "written");
    assert.equal(cache.get("b"), undefined);
    assert.equal(cache.get("c")?.toString(), "c as read");
    assert.equal(cache.get("other 1"), undefined);
  }
});

test("a value that grew too long is not cached any more", () => {
  const cache = knowing("a");
  cache.update(new Map([["a", Buffer.alloc(LIMITS.cachedValueBytesMax + 1)]]));
  assert.equal(cache.get("a"), undefined);
  cache.put("a", Buffer.alloc(LIMITS.cachedValueBytesMax + 1));
  cache.put("a", Buffer.alloc(LIMITS.cachedValueBytesMax + 1));
  assert.equal(cache.get("a"), undefined);
});

test("clear forgets all values", () => {
  const cache = knowing("a");
  cache.clear();
  assert.equal(cache.get("a"), undefined);
});

test("the number of cached values is bounded", () => {
  const cache = new ValueCache();
  for (let count = 0; count < 3 * LIMITS.cachedValuesMax; count++) {
    for (let time = 0; time < 2; time++) cache.put(`key ${count}`, bytes("1"));
  }
  let kept = 0;
  for (let count = 0; count < 3 * LIMITS.cachedValuesMax; count++) {
    if (cache.get(`key ${count}`) !== undefined) kept++;
  }
  assert.ok(kept > 0 && kept <= LIMITS.cachedValuesMax);
});

test("a cached value equals the stored one, and the caller owns its bytes", () => {
  const asked: string[] = [];
  const base: Snapshot = {
    get(key) {
      asked.push(key);
      return key === "missing" ? undefined : bytes(`value of ${key}`);
    },
    page: (range, limit) => [{ key: range.from, value: bytes(`${limit}`) }],
  };
  const snapshot = new CachedSnapshot(base);
  for (let time = 0; time < 4; time++) {
    const value = snapshot.get("a");
    assert.equal(value?.toString(), "value of a");
    value.fill("x");
    assert.equal(snapshot.get("missing"), undefined);
  }
  assert.deepEqual(asked, ["a", "missing", "a", "missing", "missing", "missing"]);
  assert.deepEqual(snapshot.page({ from: "b", to: "c" }, 7), [{ key: "b", value: bytes("7") }]);
});
