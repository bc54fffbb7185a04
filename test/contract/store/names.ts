import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "../../../src/base/limits.ts";
import { packKey, packOpenText, prefixRange } from "../../../src/store/keys/pack.ts";
import type { Key } from "../../../src/store/kv.ts";
import {
  bytes,
  EVERYTHING,
  keysIn,
  keysOf,
  listed,
  type OpenStore,
  onStore,
  readText,
  sameKeys,
} from "./kit.ts";

/** The longest names the protocols allow, and keys that differ only far behind the engine's own limit. */
export function longNameContract(open: OpenStore): void {
  const longest = "\u20ac".repeat(1_024);

  test("the longest names are carried: blobs of 1,024 characters, entities with two such keys", () =>
    onStore(open, async (store) => {
      const keys = [
        packKey(["b", "devstoreaccount1", 7n, longest]),
        packKey(["b", "devstoreaccount1", 7n, `${longest.slice(1)}\u20ad`]),
        packKey(["e", "devstoreaccount1", 9n, longest, longest]),
        packKey(["e", "devstoreaccount1", 9n, longest, `${longest.slice(1)}\u20ad`]),
        packKey(["e", "devstoreaccount1", 9n, longest, "short"]),
        "m".padEnd(LIMITS.keyBytesMax, "\xff"),
        "m".padEnd(LIMITS.keyBytesMax, "\0"),
      ];
      await store.write(async (write) => {
        for (const [index, key] of keys.entries()) write.put(key, bytes(String(index)));
      });
      for (const [index, key] of keys.entries()) assert.equal(await readText(store, key), String(index));
      const sorted = [...keys].sort();
      sameKeys(await keysIn(store, EVERYTHING), sorted);
      sameKeys(await keysIn(store, { ...EVERYTHING, reverse: true }), [...sorted].reverse());
      const entities = await keysIn(store, prefixRange(packKey(["e", "devstoreaccount1", 9n, longest])));
      assert.deepEqual(
        entities,
        sorted.filter((key) => key.startsWith("e")),
      );
      const listing = prefixRange(packOpenText(["b", "devstoreaccount1", 7n], longest.slice(0, 900)));
      assert.equal((await keysIn(store, listing)).length, 2);
      await assert.rejects(
        store.write(async (write) => write.put("m".padEnd(LIMITS.keyBytesMax + 1, "x"), bytes("x"))),
        /exceeds the longest legal name/,
      );
    }));

  const K = LIMITS.engineKeyBytesMax;
  const stem = "s".repeat(K - 1);
  /** Around the place where keys are cut, once and twice, with the lowest and the highest bytes. */
  const neighbours: Key[] = [
    stem,
    `${stem}\0`,
    `${stem}\0\0`,
    `${stem}\0\xff`,
    `${stem}\x01`,
    `${stem}a`,
    `${stem}a\0`,
    `${stem}a\0\0`,
    `${stem}a\0b`,
    `${stem}a\x01`,
    `${stem}aa`,
    `${stem}a${"b".repeat(K)}`,
    `${stem}a${"b".repeat(K)}c`,
    `${stem}a${"b".repeat(K * 2)}`,
    `${stem}a${"b".repeat(K * 2)}\0`,
    `${stem}a${"b".repeat(K * 2)}c`,
    `${stem}a\xfe`,
    `${stem}a\xff`,
    `${stem}a\xff\xff`,
    `${stem}b`,
    `${stem}\xff`,
    `${stem}\xff\xff`,
    "t",
  ].sort();

  test("keys that share 1,900 bytes keep their order, with any two of them as bounds", () =>
    onStore(open, async (store) => {
      await store.write(async (write) => {
        for (const key of neighbours) write.put(key, bytes("x"));
      });
      await store.read(async (read) => {
        for (const from of neighbours) {
          for (const to of neighbours) {
            const expected = neighbours.filter((key) => from <= key && key < to);
            sameKeys(await keysOf(read, { from, to }), expected);
            sameKeys(await keysOf(read, { from, to, reverse: true }), [...expected].reverse());
          }
          // Bounds that are no keys themselves: inside, right after, far behind.
          for (const to of [`${from}\0`, `${from}${"q".repeat(K)}`]) {
            const expected = neighbours.filter((key) => from <= key && key < to);
            sameKeys(await keysOf(read, { from, to }), expected);
            const above = neighbours.filter((key) => to <= key);
            sameKeys(await keysOf(read, { from: to, to: "z" }), above);
            sameKeys(await keysOf(read, { from: to, to: "z", reverse: true, limit: 2 }), [
              ...above.reverse().slice(0, 2),
            ]);
          }
        }
      });
    }));

  test("long keys are seen by the transaction that writes them, and go when it throws", () =>
    onStore(open, async (store) => {
      const key = `${stem}${"x".repeat(K * 2)}`;
      const refused = store.write(async (write) => {
        write.put(key, bytes("x"));
        assert.deepEqual(await listed(write, EVERYTHING), [`${key}=x`]);
        write.delete(key);
        assert.deepEqual(await listed(write, EVERYTHING), []);
        write.put(key, bytes("y"));
        assert.deepEqual(await write.getMany(["a", key]), [undefined, bytes("y")]);
        throw new Error("changed my mind");
      });
      await assert.rejects(refused, /changed my mind/);
      sameKeys(await keysIn(store, EVERYTHING), []);
    }));

  test("long keys fill many pages, and pages end inside them", () =>
    onStore(open, async (store) => {
      const count = LIMITS.rangePageEntries + 40;
      const keys: Key[] = [];
      for (let index = 0; index < count; index++) {
        const digits = String(index).padStart(5, "0");
        keys.push(`a${digits}`, `b${"p".repeat(K)}${digits}`, `c${digits}${"p".repeat(K)}`);
      }
      keys.sort();
      await store.write(async (write) => {
        for (const key of keys) write.put(key, bytes("x"));
      });
      sameKeys(await keysIn(store, EVERYTHING), keys);
      sameKeys(await keysIn(store, { ...EVERYTHING, reverse: true }), [...keys].reverse());
      for (const [low, high] of [
        [10, count + 20],
        [count + 5, count + 7],
        [count + 5, count * 2 + 9],
        [count * 2 - 1, count * 3],
      ] as const) {
        const range = { from: keys[low]!, to: keys[high] ?? "z" };
        sameKeys(await keysIn(store, range), keys.slice(low, high));
        const limit = LIMITS.rangePageEntries;
        const reversed = await keysIn(store, { ...range, reverse: true, limit });
        sameKeys(reversed, keys.slice(low, high).reverse().slice(0, limit));
      }
    }));

  test("deleting long keys, in any order, leaves the others in their place", () =>
    onStore(open, async (store) => {
      const left = new Set(neighbours);
      await store.write(async (write) => {
        for (const key of neighbours) write.put(key, bytes("x"));
      });
      const order = neighbours.map((_, index) => neighbours[(index * 7) % neighbours.length]!);
      assert.equal(new Set(order).size, neighbours.length);
      for (const key of order) {
        await store.write(async (write) => {
          write.delete(key);
          left.delete(key);
          sameKeys(await keysOf(write, EVERYTHING), [...left]);
        });
        sameKeys(await keysIn(store, EVERYTHING), [...left]);
        assert.equal(await readText(store, key), undefined);
      }
      // Deleted and put again in one transaction: it is there.
      const key = `${stem}${"x".repeat(K * 2)}`;
      for (let round = 0; round < 2; round++) {
        await store.write(async (write) => {
          write.delete(key);
          write.put(key, bytes("back"));
        });
        sameKeys(await keysIn(store, EVERYTHING), [key]);
      }
      await store.write(async (write) => write.delete(key));
      sameKeys(await keysIn(store, EVERYTHING), []);
    }));
}
