import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../src/base/clock.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { Refusal } from "../../../src/base/refusals.ts";
import type { Writer } from "../../../src/store/kv.ts";
import {
  bytes,
  EVERYTHING,
  keysIn,
  latch,
  letOthersRun,
  listed,
  type OpenStore,
  onStore,
  putAll,
  readText,
} from "./kit.ts";

/** put, delete, own writes, rollback, and when a caller hears. */
export function writingContract(open: OpenStore): void {
  test("put overwrites and delete removes; deleting nothing is no error", () =>
    onStore(open, async (store) => {
      await putAll(store, { a: "1", b: "2" });
      await store.write(async (write) => {
        write.put("a", bytes("longer than before"));
        write.delete("b");
        write.delete("never there");
      });
      assert.equal(await readText(store, "a"), "longer than before");
      assert.deepEqual(await keysIn(store, EVERYTHING), ["a"]);
    }));

  test("what was answered ahead of the disk is missed by no read, of a key or of a range, and by no write", () =>
    onStore(open, async (store) => {
      for (let round = 0; round < 40; round++) {
        const { value, durable } = await store.commitAsync(async (write) => {
          write.put(`key ${round}`, bytes(`${round}`));
          write.put("last", bytes(`${round}`));
          write.delete(`key ${round - 2}`);
          return round;
        });
        assert.equal(value, round);
        const [one, listing] = await Promise.all([
          readText(store, "last"),
          keysIn(store, { from: "key ", to: "key!" }),
        ]);
        assert.equal(one, `${round}`);
        assert.deepEqual(
          listing.sort(),
          [`key ${round - 1}`, `key ${round}`].sort().slice(round === 0 ? 1 : 0),
        );
        await store.commitAsync(async (write) => write.put("next", bytes(`${round}`)));
        const seen = await store.write(async (write) => String(await write.get("next")));
        assert.equal(seen, `${round}`);
        await durable();
      }
      const refused = store.commitAsync(async (write) => {
        write.put("last", bytes("never"));
        throw new Refusal("LeaseIdMissing");
      });
      await assert.rejects(refused, Refusal);
      assert.equal(await readText(store, "last"), "39");
    }));

  test("a transaction sees its own puts, overwrites and deletions, in get and in ranges", () =>
    onStore(open, async (store) => {
      await putAll(store, { a: "1", c: "3", e: "5", g: "7" });
      await store.write(async (write) => {
        write.put("b", bytes("new"));
        write.put("c", bytes("over"));
        write.delete("e");
        write.put("f", bytes("x"));
        write.delete("f");
        write.delete("h");
        write.put("h", bytes("back"));
        assert.deepEqual(await write.get("b"), bytes("new"));
        assert.deepEqual(await write.getMany(["c", "e", "f", "g"]), [
          bytes("over"),
          undefined,
          undefined,
          bytes("7"),
        ]);
        const all = ["a=1", "b=new", "c=over", "g=7", "h=back"];
        assert.deepEqual(await listed(write, EVERYTHING), all);
        assert.deepEqual(await listed(write, { ...EVERYTHING, reverse: true }), [...all].reverse());
        assert.deepEqual(await listed(write, { from: "b", to: "g" }), ["b=new", "c=over"]);
        assert.deepEqual(await listed(write, { from: "b", to: "g", limit: 1, reverse: true }), ["c=over"]);
        assert.deepEqual(await listed(write, { from: "d", to: "g" }), []);
      });
      assert.deepEqual(await keysIn(store, EVERYTHING), ["a", "b", "c", "g", "h"]);
    }));

  test("own writes merge with committed ones over many pages", () =>
    onStore(open, async (store) => {
      const count = LIMITS.rangePageEntries * 3;
      const nameOf = (index: number): string => `k${String(index).padStart(6, "0")}`;
      await store.write(async (write) => {
        for (let index = 0; index < count; index += 2) write.put(nameOf(index), bytes("old"));
      });
      await store.write(async (write) => {
        const expected: string[] = [];
        for (let index = 0; index < count; index++) {
          if (index % 3 === 0) write.delete(nameOf(index));
          else if (index % 5 === 0) write.put(nameOf(index), bytes("new"));
          if (index % 3 === 0) continue;
          if (index % 5 === 0) expected.push(`${nameOf(index)}=new`);
          else if (index % 2 === 0) expected.push(`${nameOf(index)}=old`);
        }
        assert.deepEqual(await listed(write, EVERYTHING), expected);
        assert.deepEqual(await listed(write, { ...EVERYTHING, reverse: true }), [...expected].reverse());
        const limit = LIMITS.rangePageEntries + 1;
        assert.deepEqual(await listed(write, { ...EVERYTHING, limit }), expected.slice(0, limit));
      });
    }));

  test("a transaction sees those before it that are still on their way to the disk", () =>
    onStore(open, async (store) => {
      await putAll(store, { a: "committed", b: "committed", c: "committed", d: "committed" });
      // None of these waits for another, so each runs on top of the pending writes of those before it.
      const running = [
        store.write(async (write) => write.put("b", bytes("first"))),
        store.write(async (write) => write.delete("c")),
      ];
      await letOthersRun(2);
      running.push(
        store.write(async (write) => {
          write.put("c", bytes("again"));
          write.put("bb", bytes("third"));
        }),
        store.write(async (write) => {
          write.put("d", bytes("own"));
          write.delete("a");
          const all = ["b=first", "bb=third", "c=again", "d=own"];
          assert.deepEqual(await listed(write, EVERYTHING), all);
          assert.deepEqual(await listed(write, { ...EVERYTHING, reverse: true }), [...all].reverse());
          assert.deepEqual(await write.get("b"), bytes("first"));
        }),
      );
      await Promise.all(running);
      assert.deepEqual(await keysIn(store, EVERYTHING), ["b", "bb", "c", "d"]);
    }));

  test("a transaction may take several ticks and still see the same state", () =>
    onStore(open, async (store) => {
      await putAll(store, { a: "0" });
      const others: Promise<void>[] = [];
      await store.write(async (write) => {
        const before = await write.get("a");
        for (let tick = 0; tick < 20; tick++) {
          others.push(putAll(store, { a: `other ${tick}` }));
          await letOthersRun();
        }
        assert.deepEqual(await write.get("a"), before);
        write.put("a", bytes("first"));
      });
      await Promise.all(others);
      assert.equal(await readText(store, "a"), "other 19");
    }));

  test("nothing of a transaction that throws is kept, and its error is passed on", () =>
    onStore(open, async (store) => {
      await putAll(store, { a: "1", b: "2" });
      const refusal = new Refusal("ConditionNotMet");
      const refused = store.write(async (write) => {
        write.put("a", bytes("changed"));
        write.delete("b");
        write.put("c", bytes("new"));
        assert.deepEqual(await listed(write, EVERYTHING), ["a=changed", "c=new"]);
        throw refusal;
      });
      const after = store.write((write) => listed(write, EVERYTHING));
      await assert.rejects(refused, (error) => error === refusal);
      assert.deepEqual(await after, ["a=1", "b=2"]);
      // A function that throws before it could return a promise is no different.
      const early = store.write(() => {
        throw refusal;
      });
      await assert.rejects(early, (error) => error === refusal);
    }));

  test("a refusal arrives only when everything it reveals is durable", () =>
    onStore(open, async (store) => {
      // The refusal reveals that "a" exists, so its caller must find "a" in every way of reading.
      for (let round = 0; round < 50; round++) {
        const key = `a${round}`;
        const put = putAll(store, { [key]: "there" });
        const refused = store.write(async (write) => {
          if ((await write.get(key)) !== undefined) throw new Refusal("ResourceAlreadyExists");
        });
        await assert.rejects(refused, /ResourceAlreadyExists/);
        assert.equal(await readText(store, key), "there");
        await put;
      }
    }));

  test("no reader sees a write before its caller could have its answer", () =>
    onStore(open, async (store, { runsSideBySide }) => {
      for (let round = 0; round < 50; round++) {
        const key = `k${round}`;
        let isSeen = false;
        const writing = store.write(async (write) => {
          write.put(key, bytes("x"));
        });
        // In the tick that began the write nothing can be durable yet. Where a database stands in between,
        // the read may reach it after the write has.
        if ((await readText(store, key)) !== undefined) isSeen = true;
        await writing;
        if (!runsSideBySide) assert.equal(isSeen, false);
        assert.equal(await readText(store, key), "x");
      }
    }));

  test("write passes on what the function returned", () =>
    onStore(open, async (store) => {
      const value = { any: "thing" };
      assert.equal(await store.write(async () => value), value);
      assert.equal(await store.read(async () => value), value);
      await assert.rejects(
        store.read(async () => {
          throw new Refusal("ResourceNotFound");
        }),
        /ResourceNotFound/,
      );
    }));

  test("the store takes a copy of what is put: a buffer may be used again at once", () =>
    onStore(open, async (store) => {
      const buffer = bytes("original");
      const [put, putLarge] = [latch(), latch()];
      const writing = store.write(async (write) => {
        write.put("a", buffer);
        buffer.fill("x");
        put.open();
        assert.deepEqual(await write.get("a"), bytes("original"));
        await letOthersRun();
        buffer.fill("y");
      });
      await put.opened;
      await letOthersRun();
      buffer.fill("z");
      await writing;
      // Large values take another way to the disk.
      const large = Buffer.alloc(100_000, "l");
      const writingLarge = store.write(async (write) => {
        write.put("large", large);
        putLarge.open();
      });
      await putLarge.opened;
      for (let tick = 0; tick < 3; tick++) {
        large.fill("z");
        await letOthersRun();
      }
      await writingLarge;
      assert.equal(await readText(store, "a"), "original");
      assert.equal(await readText(store, "large"), "l".repeat(100_000));
    }));

  test("now is one moment for a whole transaction", async () => {
    const clock = new ManualClock();
    await onStore(
      open,
      async (store) => {
        for (const run of [
          (fn: (read: Pick<Writer, "now">) => Promise<void>) => store.read(fn),
          (fn: (read: Pick<Writer, "now">) => Promise<void>) => store.write(fn),
        ]) {
          clock.advance(1_000);
          await run(async (transaction) => {
            const began = transaction.now();
            assert.equal(began, clock.now());
            clock.advance(5);
            await letOthersRun();
            assert.equal(transaction.now(), began);
          });
        }
      },
      { clock },
    );
  });

  test("a transaction that has ended cannot be used: what it would do is never lost in silence", () =>
    onStore(open, async (store) => {
      await putAll(store, { a: "1" });
      let kept: Writer | undefined;
      await store.write(async (write) => {
        kept = write;
      });
      assert.throws(() => kept!.put("b", bytes("lost")), /has ended/);
      assert.throws(() => kept!.delete("a"), /has ended/);
      await assert.rejects(async () => kept!.get("a"), /has ended/);
      const reader = await store.read(async (read) => read);
      await assert.rejects(async () => reader.get("a"), /has ended/);
      await assert.rejects(listed(reader, EVERYTHING), /has ended/);
      assert.deepEqual(await keysIn(store, EVERYTHING), ["a"]);
    }));

  test("one slow transaction may hold up writers behind it, and no reader", () =>
    onStore(open, async (store, { runsSideBySide }) => {
      await putAll(store, { a: "1" });
      const slow = latch();
      const order: string[] = [];
      const first = store.write(async (write) => {
        write.put("a", bytes("2"));
        await slow.opened;
        order.push("slow");
      });
      const second = store.write(async () => {
        order.push("behind");
      });
      assert.equal(await readText(store, "a"), "1");
      slow.open();
      await Promise.all([first, second]);
      assert.deepEqual(order, runsSideBySide ? ["behind", "slow"] : ["slow", "behind"]);
      assert.equal(await readText(store, "a"), "2");
    }));
}
