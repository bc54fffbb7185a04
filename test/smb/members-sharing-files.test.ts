import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ShareServiceClient } from "@azure/storage-file-share";
import { monotonic, pause, seconds } from "../../src/base/clock.ts";
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from "../../src/services/account/account-list.ts";
import { DISPOSITION } from "../../src/smb/wire/create.ts";
import { OPLOCK } from "../../src/smb/wire/oplock-break.ts";
import { freshSchema, sharedDatabase } from "../kit/postgres.ts";
import { type Program, startProgram } from "../kit/program.ts";
import { SmbTestClient } from "../kit/smb-test-client.ts";

/** SMB clients of two members use the same files: caches, locks, deletions, change notification. */
const KEY = Buffer.from("0123456789abcdef");
const OTHER_KEY = Buffer.from("fedcba9876543210");
const RWH = { access: "RW", lease: { key: KEY, state: "RWH" } };
let schema: Awaited<ReturnType<typeof freshSchema>>;
let programs: Program[];
/** One client of each member. */
let one: SmbTestClient;
let two: SmbTestClient;

before(async () => {
  schema = await freshSchema();
  programs = await Promise.all([0, 1].map(() => startProgram(["--store", schema.address])));
  const share = ShareServiceClient.fromConnectionString(programs[0]!.connectionString).getShareClient("work");
  await share.create();
  [one, two] = [await connect(0), await connect(1)];
});

after(async () => {
  one.vanish();
  two.vanish();
  await Promise.all(programs.map((program) => program.stop()));
  await schema.drop();
});

const connect = (member: number): Promise<SmbTestClient> =>
  SmbTestClient.connect({
    port: programs[member]!.ports.smb,
    user: WELL_KNOWN_ACCOUNT,
    password: WELL_KNOWN_KEY,
    share: "work",
  });

async function makeFile(name: string, text = "first"): Promise<void> {
  const made = await one.open(name, { access: "RW", disposition: DISPOSITION.OVERWRITE_IF });
  await one.write(made, 0, text);
  await one.close(made);
}

test("an open at one member waits until the client of the other has flushed its cache", async () => {
  await makeFile("cached");
  for (let round = 0; round < 5; round++) {
    const cached = await one.open("cached", RWH);
    assert.equal(cached.leaseState, "RWH");
    const opening = two.open("cached", { lease: { key: OTHER_KEY, state: "RWH" } });
    const asked = await one.nextBreak();
    assert.ok(asked.kind === "lease" && asked.to === "" && asked.isAnswerNeeded);
    await one.write(cached, 0, `in ${round}`);
    await one.acknowledgeLease(KEY, "");
    const opened = await opening;
    assert.equal(opened.leaseState, "", "no client caches a file that clients of two members have open");
    assert.equal((await two.read(opened, 0, 100)).toString().slice(0, 4), `in ${round}`);
    await two.close(opened);
    await one.close(cached);
  }
});

test("no cache is granted while a client of another member has the file open; after its close one is", async () => {
  await makeFile("shared");
  const theirs = await two.open("shared");
  const ours = await one.open("shared", RWH);
  assert.equal(ours.leaseState, "");
  const batch = await one.open("shared", { oplock: OPLOCK.BATCH });
  assert.equal(batch.oplock, OPLOCK.NONE);
  await one.close(batch);
  await one.close(ours);
  await two.close(theirs);
  const again = await one.open("shared", RWH);
  assert.equal(again.leaseState, "RWH");
  await one.close(again);
});

test("an open for attributes only breaks no cache", async () => {
  await makeFile("looked");
  const cached = await one.open("looked", RWH);
  const looking = await two.open("looked", { access: "" });
  await two.close(looking);
  assert.equal(one.breaksHeard, 0);
  await one.close(cached);
});

test("of two clients that open concurrently neither keeps a cache", async () => {
  await makeFile("race");
  for (let round = 0; round < 25; round++) {
    const states = new Map<SmbTestClient, string>();
    const open = async (client: SmbTestClient, key: Buffer) => {
      const file = await client.open("race", { access: "RW", lease: { key, state: "RWH" } });
      states.set(client, file.leaseState);
      return file;
    };
    let isOver = false;
    const answer = async (client: SmbTestClient, key: Buffer): Promise<void> => {
      while (!isOver) {
        if (client.breaksHeard > 0) {
          const asked = await client.nextBreak();
          states.set(client, "");
          if (asked.kind === "lease" && asked.isAnswerNeeded) await client.acknowledgeLease(key, "");
        }
        await pause(1);
      }
    };
    const answering = [answer(one, KEY), answer(two, OTHER_KEY)];
    const files = await Promise.all([open(one, KEY), open(two, OTHER_KEY)]);
    isOver = true;
    await Promise.all(answering);
    const caching = [...states.values()].filter((state) => state !== "");
    assert.equal(caching.length, 0, `round ${round}: a client holds ${caching.join()}`);
    await one.write(files[0], 0, `1 ${round}`);
    assert.equal((await two.read(files[1], 0, 3)).toString().slice(0, 3), `1 ${round}`.slice(0, 3));
    await Promise.all([one.close(files[0]), two.close(files[1])]);
  }
});

test("a client closes a handle that only its cache keeps open for an open at another member", async () => {
  await makeFile("kept");
  const kept = await one.open("kept", { access: "R", share: "", lease: { key: KEY, state: "RH" } });
  assert.equal(kept.leaseState, "RH");
  const opening = two.open("kept", { access: "RW" });
  await one.nextBreak();
  await one.close(kept);
  await two.close(await opening);
});

test("a rename at one member replaces a file that only a cache at the other keeps open", async () => {
  await makeFile("replaced");
  await makeFile("fresh", "newer");
  const kept = await one.open("replaced", { access: "R", lease: { key: KEY, state: "RH" } });
  assert.equal(kept.leaseState, "RH");
  const fresh = await two.open("fresh", { access: "RD" });
  const renamed = two.rename(fresh, "replaced", true);
  await one.nextBreak();
  await one.close(kept);
  await renamed;
  await two.close(fresh);
  const after = await one.open("replaced");
  assert.equal((await one.read(after, 0, 10)).toString(), "newer");
  await one.close(after);
});

test("a lock at one member excludes writes at the other, and a lock there waits for it", async () => {
  await makeFile("locked", "0123456789");
  const ours = await one.open("locked", { access: "RW" });
  const theirs = await two.open("locked", { access: "RW" });
  await one.lock(ours, 0, 5);
  await assert.rejects(two.write(theirs, 2, "x"), /FILE_LOCK_CONFLICT/);
  await assert.rejects(two.read(theirs, 0, 3), /FILE_LOCK_CONFLICT/);
  await two.write(theirs, 5, "free");
  await assert.rejects(two.lock(theirs, 4, 1), /LOCK_NOT_GRANTED/);
  const waiting = two.lockPatiently(theirs, 0, 5);
  assert.equal(await Promise.race([waiting.then(() => "locked"), pause(300).then(() => "waits")]), "waits");
  const unlocked = monotonic();
  await one.unlock(ours, 0, 5);
  await waiting;
  assert.ok(monotonic() - unlocked < seconds(3));
  await Promise.all([one.close(ours), two.close(theirs)]);
});

test("a client with a lock sees no late write of another member", async () => {
  await makeFile("late", "0".repeat(10));
  const ours = await one.open("late", { access: "RW" });
  const theirs = await two.open("late", { access: "RW" });
  let isOver = false;
  let written = 0;
  const writing = (async () => {
    while (!isOver) {
      const burst = Array.from({ length: 8 }, (_, i) =>
        two.write(theirs, i, String(written % 10)).then(
          () => written++,
          () => {},
        ),
      );
      await Promise.all(burst);
    }
  })();
  let locks = 0;
  for (let round = 0; round < 40; round++) {
    try {
      await one.lock(ours, 0, 10);
    } catch {
      continue;
    }
    locks++;
    const first = await one.read(ours, 0, 10);
    await pause(10);
    assert.ok((await one.read(ours, 0, 10)).equals(first), "a write arrived under the lock");
    await one.unlock(ours, 0, 10);
  }
  isOver = true;
  await writing;
  assert.ok(locks >= 10 && written > 20, `${locks} locks, ${written} writes`);
  await Promise.all([one.close(ours), two.close(theirs)]);
});

test("a file that is delete-pending at one member is removed by the last close at the other", async () => {
  await makeFile("going");
  const ours = await one.open("going", { access: "RD" });
  const theirs = await two.open("going");
  await one.setDeletePending(ours, true);
  await one.close(ours);
  await assert.rejects(two.open("going"), /DELETE_PENDING/);
  await two.close(theirs);
  await assert.rejects(one.open("going"), /OBJECT_NAME_NOT_FOUND/);
});

test("a watch at one member reports what clients of the other do in the directory", async () => {
  const root = await one.open("", { isDirectory: true });
  const watching = one.watch(root);
  // The other member has to hear of the watch first, and a message may be lost.
  let done = false;
  const making = (async () => {
    for (let i = 0; !done && i < 100; i++) {
      const made = await two.open(`made ${i}`, { access: "RW", disposition: DISPOSITION.OPEN_IF });
      await two.close(made);
      await pause(50);
    }
  })();
  const events = await watching;
  done = true;
  await making;
  assert.match(events.join(), /^1 made \d+/);
  await one.close(root);
});

test("a member that loses its handles disconnects its clients before others open their files", async () => {
  await makeFile("lost");
  const client = await connect(0);
  const cut = new Promise<void>((resolve) => client.onClose(resolve));
  const cached = await client.open("lost", RWH);
  assert.equal(cached.leaseState, "RWH");
  // What a failed-over database does to its unlogged tables.
  const table = `${/schema=(\w+)/.exec(schema.address)![1]}.passing`;
  await (await sharedDatabase()).query(`TRUNCATE ${table}`);
  const order: string[] = [];
  const isCut = cut.then(() => order.push("cut off"));
  const late = await connect(1);
  const opened = await late.open("lost", { access: "RW" }).then(
    () => order.push("opened"),
    () => order.push("cut off too"),
  );
  await isCut;
  assert.equal(
    order[0] === "opened",
    false,
    "another member opened the file under a cache that it could not see",
  );
  assert.ok(opened > 0);
  late.vanish();
  [one, two] = [await connect(0), await connect(1)];
  const again = await two.open("lost", { access: "RW", lease: { key: OTHER_KEY, state: "RWH" } });
  assert.equal(again.leaseState, "RWH");
  await two.close(again);
});
