import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "../../../src/base/limits.ts";
import { Refusal } from "../../../src/base/refusals.ts";
import type { EphemeralSpace, Key } from "../../../src/store/kv.ts";
import { OwnedSpace } from "../../../src/store/owned-space.ts";
import { bytes, EVERYTHING, keysIn, listed, type OpenStore, onStore, putAll, readText } from "./kit.ts";

/** The second key space. Two owners are two processes; here both stand on one key space of the engine. */
export function ephemeralContract(open: OpenStore): void {
  const onOwners = (
    story: (one: EphemeralSpace, two: EphemeralSpace, raw: () => Promise<Key[]>) => Promise<void>,
  ) =>
    onStore(open, (store) =>
      story(new OwnedSpace(store, "one"), new OwnedSpace(store, "two"), () => keysIn(store, EVERYTHING)),
    );

  test("the ephemeral space is apart from the records, and names its owner", () =>
    onStore(
      open,
      async (store) => {
        assert.equal(store.ephemeral.owner, "worker-7");
        await putAll(store, { a: "durable" });
        await putAll(store.ephemeral, { a: "passing", b: "passing" });
        assert.equal(await readText(store, "a"), "durable");
        assert.equal(await readText(store.ephemeral, "a"), "passing");
        assert.deepEqual(await keysIn(store, EVERYTHING), ["a"]);
        await store.ephemeral.releaseOwner("worker-7");
        assert.deepEqual(await keysIn(store.ephemeral, EVERYTHING), []);
        assert.deepEqual(await keysIn(store, EVERYTHING), ["a"]);
      },
      { owner: "worker-7" },
    ));

  test("every owner reads what all have put, in get, getMany and ranges", () =>
    onOwners(async (one, two) => {
      await putAll(one, { a: "1", c: "3", "c\0": "4" });
      await putAll(two, { b: "2", d: "" });
      for (const space of [one, two]) {
        await space.read(async (read) => {
          assert.deepEqual(await listed(read, EVERYTHING), ["a=1", "b=2", "c=3", "c\0=4", "d="]);
          assert.deepEqual(await listed(read, { from: "b", to: "d", reverse: true, limit: 2 }), [
            "c\0=4",
            "c=3",
          ]);
          assert.deepEqual(await read.getMany(["d", "x", "a"]), [Buffer.alloc(0), undefined, bytes("1")]);
        });
      }
      await one.write(async (write) => {
        write.put("bb", bytes("own"));
        write.delete("c");
        assert.deepEqual(await listed(write, EVERYTHING), ["a=1", "b=2", "bb=own", "c\0=4", "d="]);
      });
    }));

  test("releasing an owner removes what it owns, and leaves the others' records", () =>
    onOwners(async (one, two, raw) => {
      await putAll(one, { a: "1", c: "1" });
      await putAll(two, { b: "2" });
      await one.releaseOwner("no owner");
      assert.deepEqual(await keysIn(two, EVERYTHING), ["a", "b", "c"]);
      await two.releaseOwner("one");
      assert.deepEqual(await keysIn(one, EVERYTHING), ["b"]);
      await two.releaseOwner("two");
      assert.deepEqual(await raw(), [], "nothing is left behind, not even in the index of owners");
    }));

  test("a record belongs to who put it last", () =>
    onOwners(async (one, two, raw) => {
      await putAll(one, { a: "1", b: "1" });
      await putAll(two, { a: "2" });
      await one.releaseOwner("one");
      assert.deepEqual(await one.read((read) => listed(read, EVERYTHING)), ["a=2"]);
      await putAll(one, { a: "1 again" });
      await one.releaseOwner("two");
      assert.equal(await readText(two, "a"), "1 again");
      await one.releaseOwner("one");
      assert.deepEqual(await raw(), []);
    }));

  test("any owner may delete a record, and put it anew in the same transaction", () =>
    onOwners(async (one, two, raw) => {
      await putAll(one, { a: "1", b: "1" });
      await two.write(async (write) => write.delete("a"));
      assert.equal((await raw()).length, 2, "a record and its entry in the index");
      await two.write(async (write) => {
        write.delete("b");
        write.put("b", bytes("2"));
        write.put("c", bytes("2"));
        write.delete("c");
      });
      await two.releaseOwner("one");
      assert.deepEqual(await one.read((read) => listed(read, EVERYTHING)), ["b=2"]);
      await two.releaseOwner("two");
      assert.deepEqual(await raw(), []);
    }));

  test("a refused transaction leaves records and owners as they were", () =>
    onOwners(async (one, two) => {
      await putAll(one, { a: "1" });
      const refused = two.write(async (write) => {
        write.put("a", bytes("2"));
        throw new Refusal("ConditionNotMet");
      });
      await assert.rejects(refused, Refusal);
      await two.releaseOwner("two");
      assert.equal(await readText(one, "a"), "1");
      await two.releaseOwner("one");
      assert.equal(await readText(one, "a"), undefined);
    }));

  test("an owner with many records and long keys is released whole", () =>
    onOwners(async (one, two, raw) => {
      const nameOf = (index: number): Key =>
        `${index}`.padEnd(index % 3 === 0 ? LIMITS.engineKeyBytesMax + 50 : 8, "k");
      await one.write(async (write) => {
        for (let index = 0; index < 700; index++) write.put(nameOf(index), bytes("x"));
      });
      await putAll(two, { stays: "here" });
      await two.releaseOwner("one");
      assert.deepEqual(await keysIn(two, EVERYTHING), ["stays"]);
      await two.releaseOwner("two");
      assert.deepEqual(await raw(), []);
    }));

  test("the names of owners do not run into each other", () =>
    onStore(open, async (store) => {
      const [short, long] = [new OwnedSpace(store, "worker-1"), new OwnedSpace(store, "worker-10")];
      await putAll(short, { a: "1", "0": "1" });
      await putAll(long, { b: "10" });
      await long.releaseOwner("worker-1");
      assert.deepEqual(await keysIn(long, EVERYTHING), ["b"]);
      for (const owner of ["", "two words", "nul\0"]) assert.throws(() => new OwnedSpace(store, owner));
    }));
}
