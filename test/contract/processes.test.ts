import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { seedOfThisRun } from "../support/seed.ts";
import type { Fleet } from "./processes/fleet.ts";
import { killOneByOne, onFleet, passTokens, visitWhileOthersCount } from "./processes/stories.ts";

test("10,000 increments of one counter by four processes count to 10,000", () =>
  onFleet(4, async (members) => {
    const times = 10_000 / members.length;
    await Promise.all(members.map((member) => member.call({ do: "count", key: "n", times, writers: 32 })));
    for (const member of members) {
      assert.equal(await member.call({ do: "get", key: "n" }), "10000");
      assert.equal(await member.call({ do: "get", key: `n of ${member.owner}` }), String(times));
    }
  }));

test("a write acknowledged in one process is seen by a read begun afterwards in another", async (t) => {
  const rounds = 1_000;
  const stale = await passTokens(rounds);
  t.diagnostic(`${rounds} rounds, ${stale} stale reads`);
  assert.equal(stale, 0);
});

test("revisions are unique and increase across processes", () =>
  onFleet(3, async (members) => {
    const all = await Promise.all(
      members.map(async (member) => (await member.call({ do: "revisions", times: 100 })) as string[]),
    );
    for (const own of all) {
      for (let index = 1; index < own.length; index++)
        assert.ok(BigInt(own[index]!) > BigInt(own[index - 1]!));
    }
    assert.equal(new Set(all.flat()).size, 300);
  }));

test("processes killed at any moment delay no other, and what they acknowledged stays", async (t) => {
  t.diagnostic(await killOneByOne({ kills: 12, seed: seedOfThisRun(t) }));
});

test("processes that open the store while others write make no other process lose a write", async (t) => {
  t.diagnostic(`${await visitWhileOthersCount(4_000)} visits`);
});

test("processes that change and delete at once leave each other's records whole", async (t) => {
  const seed = seedOfThisRun(t);
  await onFleet(3, async (members) => {
    await Promise.all(
      members.map((member, index) => member.call({ do: "churn", times: 100, seed: seed + index })),
    );
  });
});

const VALUE_BYTES = 100_000;

async function growth(fleet: Fleet, run: () => Promise<unknown>): Promise<number> {
  const file = join(fleet.directory, "data", "records.mdb");
  const before = statSync(file).size;
  await run();
  return statSync(file).size - before;
}

test("a reader that was killed does not keep old pages from being used again", () =>
  onFleet(2, async ([survivor, victim], fleet) => {
    const overwrite = (): Promise<unknown> =>
      survivor!.call({ do: "overwrite", key: "page", times: 100, bytes: VALUE_BYTES });
    await overwrite();
    await victim!.call({ do: "hold" });
    await victim!.kill();
    const grown = await growth(fleet, overwrite);
    assert.ok(
      grown > 50 * VALUE_BYTES,
      `the dead reader holds nothing (${grown}): this test has lost its subject`,
    );
    await survivor!.call({ do: "forgetDeadReaders" });
    const free = await growth(fleet, overwrite);
    assert.ok(free < 10 * VALUE_BYTES, `the file grew by ${free} bytes`);
  }));

test("a process that has written and now rests does not keep old pages either", () =>
  onFleet(2, async ([busy, resting], fleet) => {
    const overwrite = (): Promise<unknown> =>
      busy!.call({ do: "overwrite", key: "page", times: 100, bytes: VALUE_BYTES });
    await overwrite();
    await resting!.call({ do: "put", key: "once", value: "written" });
    assert.equal(await resting!.call({ do: "get", key: "once" }), "written");
    const grown = await growth(fleet, overwrite);
    assert.ok(grown < 10 * VALUE_BYTES, `the file grew by ${grown} bytes`);
  }));

test("ephemeral records are shared, outlive their owner, and go when it is released", () =>
  onFleet(2, async ([one, two], fleet) => {
    const isEphemeral = true;
    await one!.call({ do: "put", key: "handle 1", value: "of one", isEphemeral });
    await one!.call({ do: "put", key: "handle 2", value: "of one", isEphemeral });
    await two!.call({ do: "put", key: "handle 2", value: "of two", isEphemeral });
    await two!.call({ do: "put", key: "handle 3", value: "of two", isEphemeral });
    assert.equal(await two!.call({ do: "get", key: "handle 1", isEphemeral }), "of one");
    await one!.kill();
    const three = await fleet.add();
    const seen = async (): Promise<unknown[]> => {
      const keys = ["handle 1", "handle 2", "handle 3"];
      return Promise.all(keys.map((key) => three.call({ do: "get", key, isEphemeral })));
    };
    assert.deepEqual(await seen(), ["of one", "of two", "of two"]);
    await three.call({ do: "releaseOwner", owner: one!.owner });
    assert.deepEqual(await seen(), [undefined, "of two", "of two"]);
  }));

test("a process that closes finishes what it accepted, and the others go on", () =>
  onFleet(2, async ([closing, other]) => {
    const counting = closing!.call({ do: "count", key: "n", times: 300, writers: 300 });
    const others = other!.call({ do: "count", key: "n", times: 300, writers: 30 });
    await closing!.call({ do: "close" });
    await Promise.all([counting, others]);
    await assert.rejects(closing!.call({ do: "put", key: "late", value: "x" }), /closed/);
    assert.equal(await other!.call({ do: "get", key: "n" }), "600");
    await other!.call({ do: "put", key: "after", value: "goes on" });
  }));
