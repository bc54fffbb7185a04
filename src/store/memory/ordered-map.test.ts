import assert from "node:assert/strict";
import { test } from "node:test";
import { seedOfThisRun } from "../../../test/support/seed.ts";
import { seededRandom } from "../../base/random.ts";
import type { Key } from "../kv.ts";
import type { Snapshot } from "../overlay.ts";
import { OrderedMap } from "./ordered-map.ts";

const ALL = { from: "", to: "\xff" };
const bytes = (text: string): Buffer => Buffer.from(text);
const shown = (snapshot: Snapshot): string[] =>
  snapshot.page(ALL, Number.POSITIVE_INFINITY).map(({ key, value }) => `${key}=${value}`);

test("a map in which nothing is has nothing to show", () => {
  const map = new OrderedMap();
  map.delete("a");
  assert.equal(map.snapshot().get("a"), undefined);
  assert.deepEqual(shown(map.snapshot()), []);
  assert.deepEqual(map.snapshot().page({ ...ALL, reverse: true }, 5), []);
});

test("a snapshot stands still whatever is written afterwards", () => {
  const map = new OrderedMap();
  map.set("a", bytes("1"));
  map.set("b", bytes("1"));
  const before = map.snapshot();
  map.set("a", bytes("2"));
  map.delete("b");
  map.set("c", bytes("2"));
  const after = map.snapshot();
  map.delete("a");
  assert.deepEqual(shown(before), ["a=1", "b=1"]);
  assert.deepEqual(shown(after), ["a=2", "c=2"]);
  assert.deepEqual(shown(map.snapshot()), ["c=2"]);
  assert.equal(map.size, 1);
});

test("over many chunks it is a sorted list, and every snapshot keeps its own", (t) => {
  const random = seededRandom(seedOfThisRun(t));
  const pick = (count: number): number => Math.floor(random.fraction() * count);
  const map = new OrderedMap();
  const model = new Map<Key, string>();
  const kept: { snapshot: Snapshot; expected: string[] }[] = [];
  const listModel = (): string[] => [...model].map(([key, value]) => `${key}=${value}`).sort();
  for (let step = 0; step < 30_000; step++) {
    // Grow first, then shrink to nothing, so that chunks both split and vanish.
    const key = `k${String(pick(4_000)).padStart(4, "0")}`;
    if (pick(10) < (step < 15_000 ? 7 : 2)) {
      map.set(key, bytes(String(step)));
      model.set(key, String(step));
    } else {
      map.delete(key);
      model.delete(key);
    }
    if (step % 3_000 === 0) kept.push({ snapshot: map.snapshot(), expected: listModel() });
  }
  assert.equal(map.size, model.size);
  assert.deepEqual(shown(map.snapshot()), listModel());
  for (const { snapshot, expected } of kept) assert.deepEqual(shown(snapshot), expected);
  const sorted = listModel();
  for (let round = 0; round < 300; round++) {
    const [from, to] = [`k${pick(4_200)}`, `k${pick(4_200)}`];
    const limit = pick(600);
    const inside = sorted.filter((entry) => from <= entry.slice(0, 5) && entry.slice(0, 5) < to);
    const page = map.snapshot().page({ from, to }, limit);
    assert.deepEqual(
      page.map(({ key, value }) => `${key}=${value}`),
      inside.slice(0, limit),
    );
    const reversed = map.snapshot().page({ from, to, reverse: true }, limit);
    assert.deepEqual(
      reversed.map(({ key, value }) => `${key}=${value}`),
      [...inside].reverse().slice(0, limit),
    );
  }
  for (const key of model.keys()) map.delete(key);
  assert.equal(map.size, 0);
  assert.deepEqual(shown(map.snapshot()), []);
});
