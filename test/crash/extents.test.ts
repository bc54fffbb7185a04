import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "../../src/base/random.ts";
import { recover } from "../../src/services/payload/recover.ts";
import { AFTERMATHS, CrashDevice } from "../support/crash-device.ts";
import { settle } from "../support/extents.ts";
import { JournaledStore } from "../support/journaled-store.ts";
import { Notes, SharedDatabase } from "../support/payload.ts";

/**
 * A run of writes, deletes and compactions is stopped before every single operation it made on the disk and
 * in the store. For each of these moments the disk is rebuilt in every way a crash may have left it; then
 * Holdfast starts on it. Whatever a committed record points to must be there, byte for byte, and the rest
 * must be given back.
 */
async function scriptedRun() {
  const device = new CrashDevice();
  const journaled = new JournaledStore(new SharedDatabase().storeOf("before"), device);
  const notes = new Notes(journaled.store, device);
  const put = (name: string, seed: number, length: number) => notes.put(name, { seed, length });

  await put("a", 1, 100);
  await put("b", 2, 700);
  await Promise.all([put("c", 3, 90), put("d", 4, 250), put("e", 5, 10)]);
  await notes.share("c", "copy");
  await notes.delete("a");
  await notes.delete("c");
  await put("b", 6, 300);
  await notes.reclaimer.reclaimOnce();
  await assert.rejects(notes.payload.append(leaving()), /client gone/);
  await Promise.all([put("f", 7, 400), put("g", 8, 40), notes.delete("d"), notes.reclaimer.reclaimOnce()]);
  notes.payload.extents.seal();
  await settle();
  await put("h", 9, 60);
  await notes.delete("f");
  await notes.delete("b");
  await notes.reclaimAll();
  notes.payload.extents.seal();
  await settle();
  await notes.delete("g");
  await notes.delete("copy");
  await put("i", 10, 120);
  // Dead bytes at the end of an extent, which no append waits for.
  await assert.rejects(notes.payload.append(leaving()), /client gone/);
  notes.payload.extents.seal();
  await settle();
  await notes.reclaimAll();
  await notes.audit();
  assert.deepEqual(await notes.check(), ["e", "h", "i"]);
  return { device, journaled };
}

async function* leaving() {
  yield Buffer.alloc(100);
  throw new Error("client gone");
}

test("a crash at any moment loses nothing that was committed and leaves nothing behind", async (context) => {
  const { device, journaled } = await scriptedRun();
  const { journal } = device;
  const seen = { create: 0, remove: 0, write: 0, sync: 0, syncDirectory: 0, note: 0 };
  for (const { kind } of journal) seen[kind]++;
  assert.ok(seen.remove > 3 && seen.create > 5, "the run makes and removes extents");

  let crashes = 0;
  for (let boundary = 0; boundary <= journal.length; boundary++) {
    for (const aftermath of AFTERMATHS) {
      for (const extreme of ["eager", "lazy"] as const) {
        const where = `crash before operation ${boundary} of ${journal.length}, ${aftermath}, ${extreme}`;
        const disk = await device.diskAfter(boundary, aftermath, seededRandom(boundary + 1));
        const store = new SharedDatabase().storeOf("after");
        await journaled.recordsAfter(boundary, extreme, store);
        await checkRestart(new Notes(store, disk)).catch((error: Error) => {
          throw new Error(`${where}: ${error.message}`, { cause: error });
        });
        crashes++;
      }
    }
  }
  context.diagnostic(`${crashes} crashes, ${JSON.stringify(seen)}`);
});

async function checkRestart(notes: Notes): Promise<void> {
  await recover(notes.payload, "all");
  await notes.audit();
  const names = await notes.check();
  await notes.reclaimAll();
  await notes.audit();
  assert.deepEqual(await notes.check(), names);

  // Life goes on, and when all is deleted no byte is left.
  await notes.put("new", { seed: 99, length: 130 });
  assert.equal((await notes.check()).length, names.length + 1);
  for (const name of [...names, "new"]) await notes.delete(name);
  await notes.payload.close();
  await notes.reclaimAll();
  assert.equal(await notes.diskBytes(), 0, "everything is given back");
}
