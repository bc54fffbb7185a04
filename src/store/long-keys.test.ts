import assert from "node:assert/strict";
import { test } from "node:test";
import { seedOfThisRun } from "../../test/support/seed.ts";
import { LIMITS } from "../base/limits.ts";
import { seededRandom } from "../base/random.ts";
import type { Key } from "./kv.ts";
import { LongKeyReader, LongKeyWriter, type RawWriter } from "./long-keys.ts";
import { OrderedMap } from "./memory/ordered-map.ts";

const K = LIMITS.engineKeyBytesMax;
const ALL = { from: "", to: "\xff" };

/** What the engine holds, as the engine sees it. */
function engine(): { raw: RawWriter; keys: () => Key[] } {
  const map = new OrderedMap();
  const page: RawWriter["page"] = (range, limit) => map.snapshot().page(range, limit);
  const raw: RawWriter = {
    isSynchronous: true,
    get: (key) => map.snapshot().get(key),
    getMany: (keys) => keys.map((key) => map.snapshot().get(key)),
    page,
    now: () => 0,
    put: (key, value) => map.set(key, Buffer.from(value)),
    delete: (key) => map.delete(key),
    revision: () => 1n,
  };
  return { raw, keys: () => (page(ALL, 1_000_000) as { key: Key }[]).map(({ key }) => key) };
}

test("a long key is a value below the hash of its first part, and a link where it belongs", async () => {
  const { raw, keys } = engine();
  const write = new LongKeyWriter(raw);
  const key = "a".repeat(K) + "b".repeat(10);
  write.put(key, Buffer.from("x"));
  const [below, link] = keys();
  assert.equal(keys().length, 2);
  assert.equal(link, `${"a".repeat(K)}\0`);
  assert.match(below!, /^\0L.{32}b{10}$/s);
  assert.ok(keys().every((stored) => stored.length <= K + 1));
});

test("no key the engine sees is longer than it can carry, however long the name", () => {
  const { raw, keys } = engine();
  const write = new LongKeyWriter(raw);
  write.put("n".repeat(LIMITS.keyBytesMax), Buffer.from("x"));
  assert.ok(keys().length > 2);
  assert.ok(keys().every((key) => key.length <= K + 1));
});

test("links go when nothing is left below them, and not before", async () => {
  const { raw, keys } = engine();
  const names = [
    "a".repeat(K + 1),
    "a".repeat(K + 2),
    "a".repeat(3 * K),
    `${"a".repeat(2 * K)}b`,
    `${"a".repeat(K)}\0`,
    "a".repeat(K),
  ];
  const change = async (run: (write: LongKeyWriter) => void): Promise<void> => {
    const write = new LongKeyWriter(raw);
    run(write);
    await write.finish();
  };
  await change((write) => {
    for (const name of names) write.put(name, Buffer.from("x"));
  });
  const link = `${"a".repeat(K)}\0`;
  for (const name of names.slice(0, 4)) {
    await change((write) => write.delete(name));
    assert.ok(keys().includes(link));
  }
  await change((write) => write.delete(names[4]!));
  assert.deepEqual(keys(), ["a".repeat(K)], "only the short key is left");
});

test("whatever is put and deleted, an emptied store is empty to the last link", async (t) => {
  const random = seededRandom(seedOfThisRun(t));
  const pick = (count: number): number => Math.floor(random.fraction() * count);
  const { raw, keys } = engine();
  const name = (): Key =>
    `${"k".repeat(K - 2 + pick(5))}${["", "\0", "\xff", "x"][pick(4)]!.repeat(pick(3) * (K - 20))}${pick(3)}`;
  const present = new Set<Key>();
  for (let round = 0; round < 300; round++) {
    const write = new LongKeyWriter(raw);
    for (let step = 0; step < 5; step++) {
      const key = pick(2) === 0 ? name() : ([...present][pick(present.size)] ?? name());
      if (pick(2) === 0) {
        write.put(key, Buffer.from("x"));
        present.add(key);
      } else {
        write.delete(key);
        present.delete(key);
      }
    }
    await write.finish();
    const found: Key[] = [];
    for await (const { key } of write.range(ALL)) found.push(key);
    assert.ok(found.join() === [...present].sort().join());
  }
  const write = new LongKeyWriter(raw);
  for (const key of present) write.delete(key);
  await write.finish();
  assert.deepEqual(keys(), []);
});

test("an error of a request that a transaction abandoned is not unhandled", async () => {
  const late = async (): Promise<never> => {
    await new Promise((resolve) => setImmediate(resolve));
    throw new Error("a record has changed since it was last seen");
  };
  const reader = new LongKeyReader({
    isSynchronous: false,
    get: late,
    getMany: late,
    page: late,
    now: () => 0,
  });
  const asked = [
    reader.get("a"),
    reader.getMany(["a", "b"]),
    reader.view((read) => read.get("a")),
    reader.take(ALL, 3),
    reader.take({ from: "k".repeat(K + 5), to: "l" }, 3),
  ];
  // An unhandled error ends the process; the test runner makes it a failure.
  for (let tick = 0; tick < 4; tick++) await new Promise((resolve) => setImmediate(resolve));
  for (const one of asked) await assert.rejects(async () => one, /has changed/);
});
