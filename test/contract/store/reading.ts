import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "../../../src/base/limits.ts";
import { Refusal } from "../../../src/base/refusals.ts";
import {
  continueAsync,
  type Range,
  type Reader,
  type SyncReader,
  type Writer,
} from "../../../src/store/kv.ts";
import {
  bytes,
  EVERYTHING,
  entriesOf,
  keysIn,
  latch,
  listed,
  type OpenStore,
  onStore,
  putAll,
  sameKeys,
} from "./kit.ts";

/** get, getMany and range over committed state. */
export function readingContract(open: OpenStore): void {
  test("get answers the value, or undefined when there is none", () =>
    onStore(open, async (store) => {
      await putAll(store, { a: "one", ab: "two" });
      await store.read(async (read) => {
        assert.deepEqual(await read.get("a"), bytes("one"));
        assert.deepEqual(await read.get("ab"), bytes("two"));
        assert.equal(await read.get("b"), undefined);
        assert.equal(await read.get("a\0"), undefined);
      });
    }));

  test("a view decides from records, and may read on in its snapshot", () =>
    onStore(open, async (store) => {
      await putAll(store, { a: "one", one: "end", b: "other" });
      assert.deepEqual(await store.view((read) => read.get("a")), bytes("one"));
      assert.equal(await store.view((read) => read.get("c")), undefined);
      const followed = await store.view((read) => {
        const [a, missing, b] = read.getMany(["a", "c", "b"]);
        return [read.get(a!.toString("latin1")), missing, b];
      });
      assert.deepEqual(followed, [bytes("end"), undefined, bytes("other")]);
      const [begun, committed] = [latch(), latch()];
      const reading = store.view((read) => {
        const before = read.get("a");
        return continueAsync(async (snapshot: Reader) => {
          begun.open();
          await committed.opened;
          assert.deepEqual(await snapshot.get("a"), before);
          return before;
        });
      });
      await begun.opened;
      await putAll(store, { a: "two" });
      assert.deepEqual(await store.view((read) => read.get("a")), bytes("two"));
      committed.open();
      assert.deepEqual(await reading, bytes("one"));
    }));

  test("a view passes on what its function throws, and ends the reader in any case", () =>
    onStore(open, async (store) => {
      await putAll(store, { a: "one" });
      const kept: SyncReader[] = [];
      const keep = (read: SyncReader): Buffer | undefined => {
        const found = read.get("a");
        kept.push(read);
        return found;
      };
      await store.view(keep);
      await assert.rejects(
        async () =>
          store.view((read) => {
            keep(read);
            throw new Refusal("BlobNotFound");
          }),
        Refusal,
      );
      await assert.rejects(
        async () =>
          store.view((read) => {
            keep(read);
            return continueAsync(async () => {
              throw new Refusal("BlobNotFound");
            });
          }),
        Refusal,
      );
      assert.equal(kept.length, 3);
      for (const read of kept) await assert.rejects(async () => read.now(), /after it has ended/);
    }));

  test("a view within a transaction sees what the transaction has written", () =>
    onStore(open, async (store) => {
      await putAll(store, { a: "one", b: "two" });
      await store.write(async (write) => {
        write.put("a", bytes("new"));
        write.delete("b");
        const seen = await write.view((read) => [read.get("a"), ...read.getMany(["b", "a"])]);
        assert.deepEqual(seen, [bytes("new"), undefined, bytes("new")]);
      });
    }));

  test("an update decides and writes, once, whatever it reads in between", () =>
    onStore(open, async (store) => {
      await putAll(store, { a: "one", one: "end", gone: "x" });
      const result = await store.update((write) => {
        // Written before the second read: an engine that has to fetch runs this again.
        write.put(`log ${write.revision()}`, bytes("first"));
        const next = write.get(write.get("a")!.toString("latin1"))!;
        write.put("b", next);
        write.delete("gone");
        assert.deepEqual(write.getMany(["b", "gone", "a"]), [bytes("end"), undefined, bytes("one")]);
        return next;
      });
      assert.deepEqual(result, bytes("end"));
      await store.read(async (read) => {
        assert.deepEqual(await read.get("b"), bytes("end"));
        assert.equal(await read.get("gone"), undefined);
        assert.equal((await read.take({ from: "log ", to: "log!" }, 5)).length, 1);
      });
    }));

  test("an update that throws leaves nothing, and one that goes on is one transaction", () =>
    onStore(open, async (store) => {
      await putAll(store, { a: "one" });
      const refused = store.update((write) => {
        write.put("b", bytes("two"));
        if (write.get("a") !== undefined) throw new Refusal("BlobNotFound");
      });
      await assert.rejects(refused, Refusal);
      const refusedLater = store.update((write) => {
        write.put("b", bytes("two"));
        return continueAsync(async (rest: Writer) => {
          assert.deepEqual(await rest.get("b"), bytes("two"));
          throw new Refusal("BlobNotFound");
        });
      });
      await assert.rejects(refusedLater, Refusal);
      assert.equal(await store.view((read) => read.get("b")), undefined);
      const length = await store.update((write) => {
        write.put("b", write.get("a")!);
        return continueAsync(async (rest: Writer) => {
          rest.put("c", bytes("three"));
          return (await rest.get("b"))!.length;
        });
      });
      assert.equal(length, 3);
      assert.deepEqual(await store.view((read) => read.getMany(["b", "c"])), [bytes("one"), bytes("three")]);
    }));

  test("an empty value is a value", () =>
    onStore(open, async (store) => {
      await putAll(store, { empty: "" });
      await store.read(async (read) => {
        assert.deepEqual(await read.get("empty"), Buffer.alloc(0));
        assert.deepEqual(await listed(read, EVERYTHING), ["empty="]);
      });
    }));

  test("values of any size come back as they were put", () =>
    onStore(open, async (store) => {
      const sizes = [1, 100, 2_000, 4_095, 4_096, 4_097, 65_536, 1_000_000, LIMITS.valueBytesMax];
      const filled = (size: number): Buffer => Buffer.alloc(size, `${size}.`);
      await store.write(async (write) => {
        for (const size of sizes) write.put(`size ${size}`, filled(size));
      });
      await store.read(async (read) => {
        for (const size of sizes)
          assert.ok((await read.get(`size ${size}`))?.equals(filled(size)), `${size}`);
        // Small after large and large after small: whatever buffer the engine shares must not show through.
        assert.deepEqual(await read.get("size 1"), filled(1));
        assert.equal((await entriesOf(read, EVERYTHING)).length, sizes.length);
      });
      await assert.rejects(
        store.write(async (write) => write.put("too large", Buffer.alloc(LIMITS.valueBytesMax + 1))),
        /a record exceeds the largest value/,
      );
    }));

  test("getMany answers in the order of its keys, with gaps and repeats", () =>
    onStore(open, async (store) => {
      await putAll(store, { a: "1", b: "2", c: "3" });
      await store.read(async (read) => {
        const values = await read.getMany(["c", "missing", "a", "c"]);
        assert.deepEqual(values, [bytes("3"), undefined, bytes("1"), bytes("3")]);
        assert.deepEqual(await read.getMany([]), []);
      });
    }));

  test("a range holds its lower bound and not its upper one, in both directions", () =>
    onStore(open, async (store) => {
      await putAll(store, { a: "1", b: "2", "b\0": "3", "b\xff": "4", c: "5", d: "6" });
      await store.read(async (read) => {
        const check = async (range: Range, expected: string[]): Promise<void> => {
          assert.deepEqual(await listed(read, range), expected);
          assert.deepEqual(await listed(read, { ...range, reverse: true }), [...expected].reverse());
        };
        await check({ from: "a", to: "c" }, ["a=1", "b=2", "b\0=3", "b\xff=4"]);
        await check({ from: "b\0", to: "d" }, ["b\0=3", "b\xff=4", "c=5"]);
        await check({ from: "aa", to: "b\x01" }, ["b=2", "b\0=3"]);
        await check({ from: "d", to: "\xff" }, ["d=6"]);
        await check({ from: "d\0", to: "\xff\xff\xff" }, []);
        await check({ from: "A", to: "a" }, []);
        await check({ from: "b", to: "b" }, []);
        await check({ from: "c", to: "a" }, []);
        await check({ from: "b", to: "b\0" }, ["b=2"]);
      });
    }));

  test("a range over everything shows what callers have put, and nothing of the store's own", () =>
    onStore(open, async (store) => {
      const long = `x${"y".repeat(LIMITS.engineKeyBytesMax * 2)}`;
      await store.write(async (write) => {
        write.put("\x01", bytes(write.revision().toString()));
        write.put(long, bytes("long"));
      });
      for (const from of ["", "\0", "\0L", "\x01"]) {
        sameKeys(await keysIn(store, { from, to: "\xff" }), ["\x01", long]);
        sameKeys(await keysIn(store, { from, to: "\xff", reverse: true }), [long, "\x01"]);
      }
      assert.deepEqual(await keysIn(store, { from: "", to: "\0\xff" }), []);
    }));

  test("the keys of the store itself cannot be put or deleted, nor the empty key", () =>
    onStore(open, async (store) => {
      await store.write(async (write) => write.put("a", bytes(write.revision().toString())));
      for (const key of ["", "\0revision", "\0"]) {
        await assert.rejects(
          store.write(async (write) => write.put(key, bytes("x"))),
          /belong to the store/,
        );
        await assert.rejects(
          store.write(async (write) => write.delete(key)),
          /belong to the store/,
        );
      }
      for (const key of ["", "\0revision"]) {
        await assert.rejects(
          store.read((read) => read.get(key)),
          /belong to the store/,
        );
        await assert.rejects(
          store.read((read) => read.getMany(["a", key])),
          /belong to the store/,
        );
      }
      await store.write(async (write) => write.put("b", bytes("goes on")));
    }));

  test("an empty store has empty ranges", () =>
    onStore(open, async (store) => {
      assert.deepEqual(await keysIn(store, EVERYTHING), []);
      assert.deepEqual(await keysIn(store, { ...EVERYTHING, reverse: true }), []);
      await store.write(async (write) => assert.deepEqual(await listed(write, EVERYTHING), []));
    }));

  test("a limit ends a range early, in both directions", () =>
    onStore(open, async (store) => {
      await putAll(store, { a: "1", b: "2", c: "3", d: "4" });
      const range = { from: "a", to: "d" };
      for (const limit of [0, 1, 2, 3, 4, 1_000]) {
        assert.deepEqual(await keysIn(store, { ...range, limit }), ["a", "b", "c"].slice(0, limit));
        const reversed = await keysIn(store, { ...range, limit, reverse: true });
        assert.deepEqual(reversed, ["c", "b", "a"].slice(0, limit));
      }
    }));

  test("a range of many pages is whole and in order, from anywhere", () =>
    onStore(open, async (store) => {
      const count = LIMITS.rangePageEntries * 5 + 3;
      const keys = Array.from({ length: count }, (_, index) => `k${String(index).padStart(6, "0")}`);
      await store.write(async (write) => {
        for (const key of keys) write.put(key, bytes(key));
      });
      await store.read(async (read) => {
        const all = await entriesOf(read, { from: "k", to: "l" });
        assert.deepEqual(
          all.map(({ key }) => key),
          keys,
        );
        for (const { key, value } of all) assert.equal(value.toString(), key);
      });
      const page = LIMITS.rangePageEntries;
      for (const [low, high] of [
        [0, page],
        [1, page + 1],
        [page - 1, page * 2],
        [page, page * 3 + 1],
        [7, count],
      ] as const) {
        const range = { from: keys[low]!, to: keys[high] ?? "l" };
        assert.deepEqual(await keysIn(store, range), keys.slice(low, high));
        assert.deepEqual(await keysIn(store, { ...range, reverse: true }), keys.slice(low, high).reverse());
        const limit = page + 1;
        assert.deepEqual(await keysIn(store, { ...range, limit }), keys.slice(low, high).slice(0, limit));
        const reversed = await keysIn(store, { ...range, limit, reverse: true });
        assert.deepEqual(reversed, keys.slice(low, high).reverse().slice(0, limit));
      }
    }));

  test("a loop over a range may be left early, and the read goes on", () =>
    onStore(open, async (store) => {
      await putAll(store, { a: "1", b: "2", c: "3" });
      await store.read(async (read) => {
        for await (const { key } of read.range(EVERYTHING)) {
          assert.equal(key, "a");
          break;
        }
        assert.deepEqual(await listed(read, EVERYTHING), ["a=1", "b=2", "c=3"]);
      });
    }));

  test("what a reader gets is its own: changing it changes nothing in the store", () =>
    onStore(open, async (store) => {
      await putAll(store, { a: "first", b: "second" });
      await store.read(async (read) => {
        (await read.get("a"))!.fill(0);
        (await read.getMany(["a"]))[0]!.fill(0);
        for await (const { value } of read.range(EVERYTHING)) value.fill(0);
        assert.deepEqual(await listed(read, EVERYTHING), ["a=first", "b=second"]);
      });
      await store.write(async (write) => {
        write.put("c", bytes("third"));
        for (const key of ["a", "b", "c"]) (await write.get(key))!.fill(0);
        for await (const { value } of write.range(EVERYTHING)) value.fill(0);
        assert.deepEqual(await listed(write, EVERYTHING), ["a=first", "b=second", "c=third"]);
      });
      await store.read(async (read) =>
        assert.deepEqual(await listed(read, EVERYTHING), ["a=first", "b=second", "c=third"]),
      );
    }));
}
