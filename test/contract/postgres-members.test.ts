import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Clock, ManualClock, pause, seconds } from "../../src/base/clock.ts";
import { Refusal } from "../../src/base/refusals.ts";
import type { Revision } from "../../src/base/revision.ts";
import type { Store } from "../../src/store/kv.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { freshSchema, sharedDatabase } from "../kit/postgres.ts";
import { type Cut, CuttingProxy } from "./postgres/cutting-proxy.ts";
import { bytes, EVERYTHING, keysIn, latch, putAll, readText } from "./store/kit.ts";

/**
 * What several members on one database promise each other, and what becomes of a connection cut at the worst
 * moment.
 */
function openMember(address: string, owner: string, clock?: Clock): PostgresStore {
  const onFatal = (error: unknown): void => {
    throw error;
  };
  return new PostgresStore({ address, owner, onFatal, clock });
}

async function onMembers(
  count: number,
  story: (members: PostgresStore[], address: string) => Promise<void>,
  clocks: readonly Clock[] = [],
): Promise<void> {
  const { address, drop } = await freshSchema();
  const members = Array.from({ length: count }, (_, i) => openMember(address, `member-${i}`, clocks[i]));
  try {
    await Promise.all(members.map((member) => member.opened));
    await story(members, address);
  } finally {
    await Promise.all(members.map((member) => member.close()));
    await drop();
  }
}

function increment(store: Store, key: string): Promise<number> {
  return store.write(async (write) => {
    const count = Number((await write.get(key))?.toString() ?? 0) + 1;
    write.put(key, bytes(String(count)));
    return count;
  });
}

test("counters are exact when three members count on the same keys", () =>
  onMembers(3, async (members) => {
    const seen: number[] = [];
    await Promise.all(
      members.flatMap((member, n) =>
        Array.from({ length: 8 }, async (_, client) => {
          for (let round = 0; round < 10; round++) {
            seen.push(await increment(member, "shared"));
            await increment(member, `own ${n} ${client}`);
          }
        }),
      ),
    );
    seen.sort((a, b) => a - b);
    assert.deepEqual(
      seen,
      Array.from({ length: 240 }, (_, index) => index + 1),
    );
    assert.equal(await readText(members[1]!, "own 2 7"), "10");
  }));

test("a write acknowledged by one member is seen by a read begun later on another", () =>
  onMembers(2, async ([one, two]) => {
    for (let round = 0; round < 100; round++) {
      await putAll(one!, { a: String(round) });
      assert.equal(await readText(two!, "a"), String(round));
    }
  }));

test("a record that a member has long known is not believed once another member has changed it", () =>
  onMembers(2, async ([one, two]) => {
    const look = (): Promise<string | undefined> =>
      one!.read(async (read) => {
        const place = (await read.get("place"))?.toString();
        // Where to look next depends on it, as a blob's key does on its container.
        return place === undefined ? undefined : (await read.get(place))?.toString();
      });
    const copy = (): Promise<string> =>
      one!.write(async (write) => {
        const place = (await write.get("place"))!.toString();
        const found = (await write.get(place))!.toString();
        write.put("copy", bytes(found));
        return found;
      });
    await putAll(one!, { "at 0": "value 0", place: "at 0" });
    for (let round = 1; round <= 20; round++) {
      for (let times = 0; times < 5; times++) assert.equal(await look(), `value ${round - 1}`);
      await putAll(two!, { [`at ${round}`]: `value ${round}`, place: `at ${round}` });
      if (round % 2 === 0) assert.equal(await look(), `value ${round}`);
      else assert.equal(await copy(), `value ${round}`);
    }
    const before = one!.stats().roundTrips!;
    for (let times = 0; times < 10; times++) await look();
    // Two of them to get to know it again, and a heartbeat may come in between.
    assert.ok(one!.stats().roundTrips! - before <= 10 + 3 + 2, "one round trip for both reads");
  }));

test("no write skew between members, and no phantom", () =>
  onMembers(2, async ([one, two]) => {
    for (let round = 0; round < 20; round++) {
      await putAll(one!, { alice: "on call", bob: "on call" });
      const leave = (member: Store, doctor: string, other: string): Promise<void> =>
        member.write(async (write) => {
          if ((await write.get(other)) === undefined) throw new Refusal("ConditionNotMet");
          write.delete(doctor);
        });
      const left = await Promise.allSettled([leave(one!, "alice", "bob"), leave(two!, "bob", "alice")]);
      assert.equal(left.filter(({ status }) => status === "fulfilled").length, 1);
      await one!.write(async (write) => {
        for (const key of ["alice", "bob"]) write.delete(key);
      });
    }
    const claim = (member: Store, index: number): Promise<void> =>
      member.write(async (write) => {
        let claims = 0;
        for await (const _ of write.range({ from: "claim ", to: "claim!" })) claims++;
        if (claims >= 5) throw new Refusal("ConditionNotMet");
        write.put(`claim ${index}`, bytes("x"));
      });
    const claims = Array.from({ length: 40 }, (_, index) => claim(index % 2 === 0 ? one! : two!, index));
    const outcomes = await Promise.allSettled(claims);
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 5);
    assert.equal((await keysIn(one!, EVERYTHING)).length, 5);
  }));

test("a transaction does not commit on a record that another member has changed meanwhile and been answered", () =>
  onMembers(2, async ([one, two]) => {
    await putAll(one!, { mark: "free" });
    const [read, marked] = [latch(), latch()];
    // Reads the mark and writes something else: serializable would allow it to come first, and to commit
    // last.
    const writing = one!.write(async (write) => {
      const mark = (await write.get("mark"))!.toString();
      read.open();
      await marked.opened;
      write.put("written", bytes(mark));
      return mark;
    });
    await read.opened;
    await putAll(two!, { mark: "claims" });
    marked.open();
    assert.equal(await writing, "claims");
    assert.equal(await readText(two!, "written"), "claims");
  }));

test("revisions of members whose clocks are hours apart are unique, and rise for each object", async () => {
  const now = Date.now();
  const clocks = [new ManualClock(now), new ManualClock(now - 7_200_000), new ManualClock(now + 7_200_000)];
  await onMembers(
    3,
    async (members) => {
      const all: Revision[] = [];
      const touch = (member: Store, key: string): Promise<void> =>
        member.write(async (write) => {
          const stored = await write.get(key);
          const last = stored === undefined ? undefined : BigInt(stored.toString());
          const next = write.revision(last);
          assert.ok(last === undefined || next > last);
          write.put(key, bytes(next.toString()));
          write.put(`made ${next}`, bytes(""));
        });
      await Promise.all(
        members.flatMap((member) =>
          Array.from({ length: 6 }, async (_, client) => {
            for (let round = 0; round < 10; round++) await touch(member, `object ${(client + round) % 3}`);
          }),
        ),
      );
      for (const key of await keysIn(members[0]!, { from: "made ", to: "made!" }))
        all.push(BigInt(key.slice(5)));
      assert.equal(all.length, 180, "every revision made a record of its own");
    },
    clocks,
  );
});

test("the time of a transaction is the database's, whatever the clock of the member says", () =>
  onMembers(1, async ([member]) => {
    const database = await sharedDatabase();
    const [row] = await database.query(
      "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now",
    );
    const now = await member!.read(async (read) => read.now());
    assert.ok(Math.abs(now - Number(row!.now)) < 1_000);
  }));

test("a message reaches the listeners of every member, and goes on after a lost connection", () =>
  onMembers(2, async ([one, two]) => {
    const heard: string[] = [];
    for (const [name, member] of [
      ["one", one!],
      ["two", two!],
    ] as const) {
      member.messages.listen("news", (said) => heard.push(`${name} ${said.toString("hex")}`));
      member.messages.listen("other", () => heard.push("not asked for"));
    }
    const announceUntilHeard = async (bytes: Buffer): Promise<void> => {
      heard.length = 0;
      // A message may be lost, for instance before the other member listens: say it until it is heard.
      for (let tries = 0; tries < 200 && !heard.includes(`two ${bytes.toString("hex")}`); tries++) {
        one!.messages.announce("news", bytes);
        await pause(25);
      }
      assert.deepEqual([...new Set(heard)].sort(), [
        `one ${bytes.toString("hex")}`,
        `two ${bytes.toString("hex")}`,
      ]);
    };
    await announceUntilHeard(Buffer.from([0, 1, 255, 32]));
    const database = await sharedDatabase();
    await database.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdfast member-1'",
    );
    await announceUntilHeard(Buffer.alloc(1_024, "x"));
  }));

async function startChild(address: string, owner: string): Promise<ChildProcess> {
  const script = fileURLToPath(new URL("./postgres/member-child.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", script, address, owner], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once("data", () => resolve());
    child.once("exit", (code) => reject(new Error(`the child ended with ${code}`)));
  });
  return child;
}

test("what a killed member held is released within 5 seconds, and its neighbours stay", () =>
  onMembers(2, async ([one, two], address) => {
    const dead: string[] = [];
    for (const member of [one!, two!]) {
      member.membership.onDead = async (owner) => {
        dead.push(owner);
        await member.ephemeral.releaseOwner(owner);
      };
    }
    const child = await startChild(address, "doomed");
    await putAll(two!.ephemeral, { mine: "stays" });
    assert.equal(await readText(one!.ephemeral, "held"), "doomed");
    child.kill("SIGKILL");
    const killed = Date.now();
    while ((await readText(one!.ephemeral, "held")) !== undefined) {
      assert.ok(Date.now() - killed < seconds(5), "still held after 5 seconds");
      await pause(50);
    }
    assert.ok(dead.every((owner) => owner === "doomed"));
    assert.equal(await readText(one!.ephemeral, "mine"), "stays");
  }));

async function onProxy(story: (store: PostgresStore, proxy: CuttingProxy) => Promise<void>): Promise<void> {
  const { address, drop } = await freshSchema();
  const proxy = await CuttingProxy.before((await sharedDatabase()).port);
  const store = openMember(address.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${proxy.port}`), "behind");
  try {
    await store.opened;
    await story(store, proxy);
  } finally {
    await store.close();
    await proxy.close();
    await drop();
  }
}

for (const [cut, what] of [
  ["answer", "was made and not answered is found, and not made twice"],
  ["request", "never arrived is made again"],
] as [Cut, string][]) {
  test(`a commit that ${what}`, () =>
    onProxy(async (store, proxy) => {
      for (let round = 1; round <= 20; round++) {
        proxy.cutNextCommit(cut);
        // Several in one batch share its fate.
        const counts = await Promise.all([
          increment(store, "a"),
          increment(store, "a"),
          increment(store, "b"),
        ]);
        assert.deepEqual(counts, [round * 2 - 1, round * 2, round]);
        assert.equal(proxy.cuts, round);
      }
      assert.equal(await readText(store, "a"), "40");
      assert.equal(await readText(store, "b"), "20");
    }));
}
