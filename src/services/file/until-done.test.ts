import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock, pause } from "../../base/clock.ts";
import { StorageFault } from "../../base/faults.ts";
import { LocalMessages } from "../../base/messages.ts";
import { silentLog } from "../../observability/log.ts";
import type { EphemeralSpace } from "../../store/kv.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import { withAdmissions } from "./access.ts";
import { untilDone } from "./until-done.ts";

const AWAY = new StorageFault("the database cannot be reached", { isTransient: true });

test("a failed release is retried when the store is back, and the caller does not wait", async () => {
  let tries = 0;
  await untilDone(silentLog, async () => {
    if (++tries < 3) throw AWAY;
  });
  assert.equal(tries, 1);
  while (tries < 3) await pause(10);
});

test("what cannot get better is thrown", async () => {
  const broken = new StorageFault("the store is closed");
  await assert.rejects(
    untilDone(silentLog, () => Promise.reject(broken)),
    broken,
  );
});

test("a request succeeds when its ephemeral records cannot be deleted yet; a retry deletes them", async () => {
  const store = new MemoryStore({ clock: new ManualClock(), owner: "one" });
  let isAway = false;
  const ephemeral: EphemeralSpace = {
    owner: "one",
    read: (fn) => store.ephemeral.read(fn),
    write: (fn) => (isAway ? Promise.reject(AWAY) : store.ephemeral.write(fn)),
    releaseOwner: (owner) => store.ephemeral.releaseOwner(owner),
  };
  await ephemeral.write(async (write) => write.put("note", Buffer.of(1)));
  const context = { ephemeral, messages: new LocalMessages(), log: silentLog, patienceMillis: 1_000 };
  const isNoted = (): Promise<boolean> =>
    ephemeral.read(async (read) => (await read.get("note")) !== undefined);

  const result = await withAdmissions(context, async (admissions) => {
    admissions.note("note");
    isAway = true;
    return "written";
  });
  assert.equal(result, "written");
  assert.ok(await isNoted());
  isAway = false;
  while (await isNoted()) await pause(10);
  await store.close();
});
