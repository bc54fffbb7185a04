import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "../../../src/base/limits.ts";
import { seededRandom } from "../../../src/base/random.ts";
import { Refusal } from "../../../src/base/refusals.ts";
import { seedOfThisRun } from "../../support/seed.ts";
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

const CLIENTS = 64;

/** Snapshots that stand still, and transactions that equal serial ones. */
export function isolationContract(open: OpenStore): void {
  test("a read keeps its snapshot while writers go on", () =>
    onStore(open, async (store) => {
      await putAll(store, { a: "1", b: "1", c: "1" });
      const [begun, committed] = [latch(), latch()];
      const reading = store.read(async (read) => {
        const before = await read.get("a");
        const seen: string[] = [];
        for await (const { key, value } of read.range(EVERYTHING)) {
          seen.push(`${key}=${value}`);
          if (key !== "a") continue;
          begun.open();
          await committed.opened;
        }
        assert.deepEqual(await read.get("a"), before);
        assert.deepEqual(await read.getMany(["a", "b", "c", "d"]), [...Array(3).fill(bytes("1")), undefined]);
        assert.deepEqual(await listed(read, { ...EVERYTHING, reverse: true }), ["c=1", "b=1", "a=1"]);
        return seen;
      });
      await begun.opened;
      await putAll(store, { a: "2", c: "2", d: "2" });
      await store.write(async (write) => write.delete("b"));
      const now = await store.read((read) => listed(read, EVERYTHING));
      assert.deepEqual(now, ["a=2", "c=2", "d=2"]);
      committed.open();
      assert.deepEqual(await reading, ["a=1", "b=1", "c=1"]);
    }));

  test("a long range is one snapshot from its first page to its last", () =>
    onStore(open, async (store) => {
      const count = LIMITS.rangePageEntries * 4;
      const nameOf = (index: number): string => `k${String(index).padStart(6, "0")}`;
      const fill = (round: number): Promise<void> =>
        store.write(async (write) => {
          for (let index = 0; index < count; index++) write.put(nameOf(index), bytes(String(round)));
        });
      await fill(0);
      let isDone = false;
      const writing = (async () => {
        for (let round = 1; !isDone; round++) await fill(round);
      })();
      try {
        for (let round = 0; round < 10; round++) {
          const values = new Set<string>();
          let seen = 0;
          await store.read(async (read) => {
            for await (const { value } of read.range({ ...EVERYTHING, reverse: round % 2 === 1 })) {
              values.add(value.toString());
              if (seen++ % 100 === 0) await letOthersRun(2);
            }
          });
          assert.equal(seen, count);
          assert.equal(values.size, 1, `values of several writes in one snapshot: ${[...values]}`);
        }
      } finally {
        isDone = true;
        await writing;
      }
    }));

  test("a read sees every write acknowledged before it was called", () =>
    onStore(open, async (store) => {
      for (let round = 0; round < 300; round++) {
        await putAll(store, { a: String(round) });
        assert.equal(await readText(store, "a"), String(round));
      }
    }));

  test("as many reads as there are connections can be in flight at once", () =>
    onStore(open, async (store, { runsSideBySide }) => {
      await putAll(store, { a: "1" });
      const all = latch();
      const reads = Array.from({ length: 5_000 }, () =>
        store.read(async (read) => {
          await all.opened;
          return (await read.get("a"))?.toString();
        }),
      );
      await putAll(store, { a: "2" });
      all.open();
      const values = new Set(await Promise.all(reads));
      // Where a database stands in between, their snapshot may have been claims after the write; it is one.
      if (!runsSideBySide) assert.deepEqual([...values], ["1"]);
      assert.equal(values.size, 1);
      assert.equal(await readText(store, "a"), "2");
    }));

  test("counters of many concurrent clients are exact", () =>
    onStore(open, async (store) => {
      const rounds = 20;
      const increment = (key: string): Promise<number> =>
        store.write(async (write) => {
          const count = Number((await write.get(key))?.toString() ?? 0) + 1;
          write.put(key, bytes(String(count)));
          return count;
        });
      const seen: number[] = [];
      await Promise.all(
        Array.from({ length: CLIENTS }, async (_, client) => {
          for (let round = 0; round < rounds; round++) {
            seen.push(await increment("shared"));
            await increment(`own ${client}`);
          }
        }),
      );
      seen.sort((a, b) => a - b);
      assert.deepEqual(
        seen,
        Array.from({ length: CLIENTS * rounds }, (_, index) => index + 1),
      );
      assert.equal(await readText(store, "own 7"), String(rounds));
    }));

  test("no write skew: of two doctor each need the other to stay, one stays", () =>
    onStore(open, async (store) => {
      for (let round = 0; round < 30; round++) {
        await putAll(store, { alice: "on call", bob: "on call" });
        const leave = (doctor: string, other: string): Promise<void> =>
          store.write(async (write) => {
            const isCovered = (await write.get(other)) !== undefined;
            await letOthersRun();
            if (!isCovered) throw new Refusal("ConditionNotMet");
            write.delete(doctor);
          });
        const outcomes = await Promise.allSettled([leave("alice", "bob"), leave("bob", "alice")]);
        assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
        assert.equal((await keysIn(store, EVERYTHING)).length, 1);
      }
    }));

  test("no phantom: a rule over a range holds against every writer", () =>
    onStore(open, async (store) => {
      const claim = (index: number): Promise<void> =>
        store.write(async (write) => {
          const claims = await listed(write, { from: "claim ", to: "claim!" });
          if (claims.length >= 5) throw new Refusal("ConditionNotMet");
          write.put(`claim ${index}`, bytes("x"));
        });
      const outcomes = await Promise.allSettled(Array.from({ length: CLIENTS }, (_, index) => claim(index)));
      assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 5);
      assert.equal((await keysIn(store, EVERYTHING)).length, 5);
    }));

  test("a bank keeps its total in every snapshot, under 64 concurrent clients", async (t) => {
    const seed = seedOfThisRun(t);
    await onStore(open, async (store) => {
      const accounts = Array.from({ length: 16 }, (_, index) => `account ${String(index).padStart(2, "0")}`);
      const total = accounts.length * 100;
      await putAll(store, Object.fromEntries(accounts.map((name) => [name, "100"])));
      const sum = (lines: string[]): number =>
        lines.reduce((all, line) => all + Number(line.slice(line.indexOf("=") + 1)), 0);
      let refused = 0;
      const transfer = async (from: string, to: string, amount: number): Promise<void> => {
        const done = store.write(async (write) => {
          const [source, target] = await write.getMany([from, to]);
          const left = Number(source!.toString()) - amount;
          write.put(from, bytes(String(left)));
          if (left < 0) throw new Refusal("ConditionNotMet");
          write.put(to, bytes(String((from === to ? left : Number(target!.toString())) + amount)));
        });
        await done.catch((error) => {
          assert.ok(error instanceof Refusal);
          refused++;
        });
      };
      let isDone = false;
      const auditing = (async () => {
        let audits = 0;
        while (!isDone) {
          await store.read(async (read) => {
            const first = await listed(read, { from: "account ", to: "account!", limit: 8 });
            await letOthersRun();
            const all = await listed(read, { from: "account ", to: "account!" });
            assert.equal(sum(all), total);
            assert.deepEqual(all.slice(0, 8), first);
          });
          await store.write(async (write) =>
            assert.equal(sum(await listed(write, { from: "account ", to: "account!" })), total),
          );
          audits++;
        }
        return audits;
      })();
      await Promise.all(
        Array.from({ length: CLIENTS }, async (_, client) => {
          const random = seededRandom(seed + client);
          const pick = (count: number): number => Math.floor(random.fraction() * count);
          for (let round = 0; round < 20; round++) {
            await transfer(accounts[pick(16)]!, accounts[pick(16)]!, pick(120));
          }
        }),
      );
      isDone = true;
      const audits = await auditing;
      const lines = await store.read((read) => listed(read, EVERYTHING));
      assert.equal(sum(lines), total);
      assert.ok(lines.every((line) => !line.includes("-")));
      t.diagnostic(`${CLIENTS * 20} transfers, ${refused} refused, ${audits} audits`);
    });
  });
}
