import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { seedOfThisRun } from "../../test/support/seed.ts";
import type { Entry, Key } from "./kv.ts";
import { OrderedMap } from "./memory/ordered-map.ts";
import { layeredPage, Overlay, pendingIn, type Snapshot } from "./overlay.ts";

const bytes = (text: string): Buffer => Buffer.from(text);
const layeredGet = (layers: readonly Overlay[], base: Snapshot, key: Key): Buffer | undefined => {
  const pending = pendingIn(layers, key);
  return pending === undefined ? base.get(key) : (pending ?? undefined);
};
const shown = (entries: readonly Entry[]): string[] => entries.map(({ key, value }) => `${key}=${value}`);

test("an overlay keeps its keys in order, and counts the bytes it was given", () => {
  const overlay = new Overlay();
  for (const key of ["m", "a", "z", "m", "b"]) overlay.set(key, bytes(key));
  overlay.set("z", null);
  assert.deepEqual(overlay.keysIn("a", "\xff"), ["a", "b", "m", "z"]);
  assert.deepEqual(overlay.keysIn("b", "m"), ["b"]);
  assert.equal(overlay.hasIn("b\0", "m"), false);
  assert.equal(overlay.hasIn("b\0", "m\0"), true);
  assert.equal(overlay.writes.get("z"), null);
  assert.equal(overlay.bytes, 11);
});

test("undo and changed concern the keys set since begin", () => {
  const overlay = new Overlay();
  overlay.begin();
  overlay.set("a", bytes("1"));
  overlay.begin();
  overlay.set("a", bytes("22"));
  overlay.set("b", bytes("2"));
  overlay.set("a", null);
  assert.deepEqual(overlay.changed, ["a", "b", "a"]);
  overlay.undo();
  assert.deepEqual(overlay.changed, []);
  assert.deepEqual([...overlay.writes], [["a", bytes("1")]]);
  assert.deepEqual(overlay.keysIn("", "\xff"), ["a"]);
  assert.equal(overlay.bytes, 2);
});

test("absorbing what was written on top lets the later write win", () => {
  const [first, second] = [new Overlay(), new Overlay()];
  first.set("a", bytes("1"));
  first.set("b", bytes("1"));
  second.set("b", null);
  second.set("c", bytes("2"));
  first.absorb(second);
  assert.deepEqual(first.keysIn("", "z"), ["a", "b", "c"]);
  assert.equal(first.writes.get("b"), null);
});

test("what was set since it began is undone, and nothing else", (t) => {
  const key = fc.string({ unit: fc.constantFrom("a", "b", "\0", "\xff"), maxLength: 3 });
  const step = fc.record({
    key,
    value: fc.option(fc.constantFrom("x", "yy", "zzz")),
    // Looking puts the keys in order, at any moment between two writes.
    isLook: fc.boolean(),
  });
  const transactions = fc.array(
    fc.record({ steps: fc.array(step, { maxLength: 12 }), isKept: fc.boolean() }),
  );
  fc.assert(
    fc.property(transactions, (runs) => {
      const overlay = new Overlay();
      let expected = new Map<Key, string | null>();
      let expectedBytes = 0;
      for (const { steps, isKept } of runs) {
        overlay.begin();
        const tried = new Map(expected);
        let triedBytes = expectedBytes;
        for (const { key, value, isLook } of steps) {
          overlay.set(key, value === null ? null : bytes(value));
          tried.set(key, value);
          triedBytes += key.length + (value?.length ?? 0);
          if (isLook) assert.equal(overlay.hasIn(key, `${key}\0`), true);
        }
        if (isKept) [expected, expectedBytes] = [tried, triedBytes];
        else overlay.undo();
        const shownWrites = [...overlay.writes].map(([name, value]) => [name, value?.toString() ?? null]);
        assert.deepEqual(new Map(shownWrites as [Key, string | null][]), expected);
        assert.equal(overlay.bytes, expectedBytes);
        assert.deepEqual(overlay.keysIn("", "\xff\xff\xff\xff"), [...expected.keys()].sort());
      }
    }),
    { numRuns: 2_000, seed: seedOfThisRun(t) },
  );
});

test("the newest layer that knows a key answers for it", () => {
  const base = new OrderedMap();
  for (const key of ["a", "b", "c"]) base.set(key, bytes("base"));
  const [newest, older] = [new Overlay(), new Overlay()];
  older.set("a", bytes("older"));
  older.set("b", bytes("older"));
  older.set("d", null);
  newest.set("a", null);
  const get = (key: Key): string | undefined => layeredGet([newest, older], base.snapshot(), key)?.toString();
  assert.deepEqual([get("a"), get("b"), get("c"), get("d")], [undefined, "older", "base", undefined]);
  const page = layeredPage([newest, older], base.snapshot(), { from: "a", to: "z" }, 10);
  assert.deepEqual(shown(page), ["b=older", "c=base"]);
});

test("pages over layers equal pages over what the layers add up to", (t) => {
  const key = fc.string({ unit: fc.constantFrom("a", "b", "\0", "\xff"), maxLength: 3 });
  const layer = fc.dictionary(key, fc.option(fc.constantFrom("x", "y", "z")), { noNullPrototype: true });
  const layers = fc.array(layer, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(layers, key, key, fc.boolean(), fc.nat({ max: 12 }), (changes, from, to, reverse, limit) => {
      const base = new OrderedMap();
      const sum = new Map<Key, string>();
      const overlays: Overlay[] = [];
      for (const [depth, change] of changes.entries()) {
        const overlay = new Overlay();
        for (const [name, value] of Object.entries(change)) {
          if (value === null) sum.delete(name);
          else sum.set(name, value);
          if (depth > 0) overlay.set(name, value === null ? null : bytes(value));
          else if (value !== null) base.set(name, bytes(value));
        }
        if (depth > 0) overlays.unshift(overlay);
      }
      const expected = [...sum].filter(([name]) => from <= name && name < to);
      expected.sort(([a], [b]) => (a < b ? -1 : 1));
      if (reverse) expected.reverse();
      const page = layeredPage(overlays, base.snapshot(), { from, to, reverse }, limit);
      assert.deepEqual(
        shown(page),
        expected.slice(0, limit).map(([name, value]) => `${name}=${value}`),
      );
      for (const [name, value] of sum) {
        assert.equal(layeredGet(overlays, base.snapshot(), name)?.toString(), value);
      }
    }),
    { numRuns: 3_000, seed: seedOfThisRun(t) },
  );
});
