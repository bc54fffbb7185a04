import assert from "node:assert/strict";
import { test } from "node:test";
import { extentSpace, isSpaceKept, printStats } from "../../../test/soak/extent-space.ts";
import { CrashDevice, flipBit } from "../../../test/support/crash-device.ts";
import { sample, settle } from "../../../test/support/extents.ts";
import { Notes, SharedDatabase } from "../../../test/support/payload.ts";
import { collect } from "../../base/bytes.ts";
import type { Timers } from "../../base/clock.ts";
import type { DamagedData } from "../../base/faults.ts";
import { LIMITS, MIB } from "../../base/limits.ts";
import { FILE_HEADER_BYTES, fileNameOf } from "../../extents/format.ts";
import { MemoryDevice } from "../../extents/memory-device.ts";
import type { Slice } from "../payload/payloads.ts";
import { walkExtent } from "../payload/walk-extent.ts";

async function damageIn({ payload }: Notes, extent: bigint): Promise<DamagedData[]> {
  const slices: Slice[] = [];
  await payload.store.read(async (read) => {
    for await (const { slice } of walkExtent(read, extent)) slices.push(slice);
  });
  return payload.files.verify(extent, slices);
}

function openNotes(): Notes {
  return new Notes(new SharedDatabase().storeOf("one"), new MemoryDevice());
}

/** Some notes in sealed extents; every note whose number is not a multiple of four is deleted again. */
async function wornNotes(notes: Notes, count = 24): Promise<void> {
  for (let i = 0; i < count; i++) await notes.put(`n${i}`, { seed: i + 1, length: 90 });
  notes.payload.extents.seal();
  await settle();
  for (let i = 0; i < count; i++) if (i % 4 !== 0) await notes.delete(`n${i}`);
}

test("an extent that a drop has emptied is removed early, without waiting for the interval", async () => {
  const notes = openNotes();
  await notes.put("a", { seed: 1, length: 90 });
  notes.payload.extents.seal();
  await settle();
  const scheduled: (() => void)[] = [];
  const timers: Timers = {
    after: (_, run) => {
      scheduled.push(run);
      return { cancel: () => {} };
    },
    every: () => ({ cancel: () => {} }),
  };
  notes.reclaimer.start(timers);
  await notes.delete("a");
  assert.equal(scheduled.length, 1);
  assert.ok((await notes.diskBytes()) > 0);
  scheduled[0]!();
  await settle();
  assert.equal(await notes.diskBytes(), 0);
  await notes.reclaimer.stop();
});

test("mostly dead extents are compacted, and again, and the payload keeps its name", async () => {
  const notes = openNotes();
  await wornNotes(notes);
  const before = await notes.diskBytes();
  const kept = await notes.check();
  await notes.reclaimAll();
  await notes.audit();
  assert.deepEqual(await notes.check(), kept);
  assert.ok((await notes.diskBytes()) < before / 2);

  // What has moved once is moved again when its new extent wears out, and goes when it is dropped.
  notes.payload.extents.seal();
  await settle();
  for (const name of kept) if (name !== "n0" && name !== "n12") await notes.delete(name);
  await notes.reclaimAll();
  await notes.audit();
  assert.deepEqual(await notes.check(), ["n0", "n12"]);
  await notes.share("n0", "copy");
  await notes.delete("n0");
  await notes.delete("n12");
  await notes.delete("copy");
  await notes.audit();
  notes.payload.extents.seal();
  await settle();
  await notes.reclaimAll();
  assert.equal(await notes.diskBytes(), 0);
});

test("many small leftovers are merged", async () => {
  const notes = openNotes();
  for (let i = 0; i < LIMITS.smallExtentsMin; i++) {
    assert.equal((await notes.reclaimer.reclaimOnce()).movedBytes, 0);
    await notes.put(`n${i}`, { seed: i + 1, length: 20 });
    notes.payload.extents.seal();
    await settle();
  }
  assert.equal((await notes.payload.files.list()).size, LIMITS.smallExtentsMin);
  await notes.reclaimAll();
  assert.equal((await notes.payload.files.list()).size, 1);
  assert.equal((await notes.check()).length, LIMITS.smallExtentsMin);
  await notes.audit();
});

test("a reader in flight reads to the end through delete and compaction", async () => {
  const notes = openNotes();
  await notes.put("gone", { seed: 1, length: 2_000 });
  await wornNotes(notes);
  const gone = await notes.open("gone");
  const moved = await notes.open("n4");
  await notes.delete("gone");
  await notes.reclaimAll();
  const parts: Buffer[] = [];
  for await (const part of gone.stream(0, 2_000)) {
    parts.push(part);
    await notes.reclaimAll();
  }
  assert.deepEqual(Buffer.concat(parts), sample(2_000, 1));
  assert.deepEqual(await collect(moved.stream(0, 90)), sample(90, 5));
  const pinnedBytes = await notes.diskBytes();
  gone.close();
  moved.close();
  await notes.reclaimAll();
  assert.ok((await notes.diskBytes()) < pinnedBytes, "the space comes back when the readers have gone");
  await notes.check();
});

test("a read that has begun and not yet opened its payload holds the file as well", async () => {
  const notes = openNotes();
  await notes.put("a", { seed: 1, length: 100 });
  notes.payload.extents.seal();
  await settle();
  const slices = [{ extent: 1n, offset: FILE_HEADER_BYTES, length: 100 }];
  let goOn = (): void => {};
  const waiting = new Promise<void>((resolve) => (goOn = resolve));
  const opening = notes.store.read(async (read) => {
    await waiting;
    return notes.payload.open(read, slices);
  });
  await notes.delete("a");
  const step = notes.reclaimer.reclaimOnce();
  await settle();
  assert.ok((await notes.diskBytes()) > 0);
  goOn();
  const payload = await opening;
  assert.deepEqual(await step, { removed: 0, movedBytes: 0, waiting: 1 });
  assert.deepEqual(await collect(payload.stream(0, 100)), sample(100, 1));
  payload.close();
  assert.equal((await notes.reclaimer.reclaimOnce()).removed, 1);
});

test("a slice dropped while it is being moved stays dropped", async () => {
  const notes = openNotes();
  await wornNotes(notes);
  const appendWhole = notes.payload.extents.appendWhole.bind(notes.payload.extents);
  notes.payload.extents.appendWhole = async (source, length) => {
    const appended = await appendWhole(source, length);
    await notes.delete("n0");
    await notes.delete("n8");
    return appended;
  };
  await notes.reclaimAll();
  await notes.audit();
  assert.deepEqual(await notes.check(), ["n12", "n16", "n20", "n4"]);
});

test("a slice that another process has moved meanwhile stays where that one put it", async () => {
  const notes = openNotes();
  await notes.put("a", { seed: 1, length: 40 });
  const home = { extent: 1n, offset: FILE_HEADER_BYTES };
  const copies = [await notes.payload.append(sample(40, 1)), await notes.payload.append(sample(40, 1))];
  const counts = [];
  for (const { slices } of copies) {
    const move = { home, from: home, to: { extent: 1n, offset: slices[0]!.offset }, length: 40 };
    counts.push(await notes.store.write((write) => notes.payload.references.moved(write, [move])));
  }
  assert.deepEqual(counts, [1, 0]);
  await notes.audit();
  await notes.check();
});

test("writers and readers go on while extents are compacted", async () => {
  const notes = openNotes();
  await wornNotes(notes);
  let isDone = false;
  const writing = (async () => {
    for (let i = 0; i < 60; i++) {
      await notes.put(`w${i % 7}`, { seed: i + 100, length: 150 });
      if (i % 3 === 0) await notes.delete(`w${i % 5}`);
      await notes.check();
    }
    isDone = true;
  })();
  while (!isDone) {
    await notes.reclaimer.reclaimOnce();
    await settle(1);
  }
  await writing;
  await notes.audit();
  await notes.check();
});

test("damage is never copied: the extent stays, the rest is reclaimed", async () => {
  const notes = openNotes();
  await wornNotes(notes);
  assert.deepEqual(await damageIn(notes, 1n), []);
  await flipBit(notes.payload.files.device, { name: fileNameOf(1n), byte: 60, bit: 3 });
  assert.equal((await damageIn(notes, 1n)).length, 1);
  await notes.reclaimAll();
  assert.ok((await notes.payload.files.list()).has(1n));
  await notes.audit();
  await assert.rejects(notes.check(), /0000000000000001.extent.*offset/);
});

test("on a full disk empty extents are removed, and then there is space to compact", async () => {
  const device = new CrashDevice();
  const notes = new Notes(new SharedDatabase().storeOf("one"), device);
  await wornNotes(notes);
  await notes.delete("n0");
  const files = (await notes.payload.files.list()).size;
  device.before = (kind) => {
    if (kind === "write") throw Object.assign(new Error("full"), { code: "ENOSPC" });
  };
  const { removed, movedBytes } = await notes.reclaimer.reclaimOnce();
  assert.ok(removed > 0 && movedBytes === 0);
  assert.equal((await notes.payload.files.list()).size, files - removed);
  device.before = () => {};
  await notes.reclaimAll();
  await notes.audit();
  assert.equal((await notes.check()).length, 5);
});

test("processes agree before a file goes, and a dead one is not waited for", async () => {
  const database = new SharedDatabase();
  const device = new MemoryDevice();
  const one = new Notes(database.storeOf("one"), device);
  const two = new Notes(database.storeOf("two"), device);
  await one.reclaimer.join();
  await two.reclaimer.join();
  await one.put("a", { seed: 1, length: 100 });
  one.payload.extents.seal();
  await settle();
  const reader = await two.open("a");
  await one.delete("a");

  const step = async () => {
    await two.reclaimer.attend();
    return one.reclaimer.reclaimOnce();
  };
  assert.deepEqual(await one.reclaimer.reclaimOnce(), { removed: 0, movedBytes: 0, waiting: 1 });
  assert.equal((await one.reclaimer.reclaimOnce()).removed, 0, "no answer yet");
  for (let i = 0; i < 5; i++)
    assert.equal((await step()).removed, 0, "pinnedBytes by a reader of the other process");
  assert.deepEqual(await collect(reader.stream(0, 100)), sample(100, 1));
  reader.close();
  assert.equal((await step()).removed, 1);
  assert.equal(two.payload.files.openCount, 0, "no idle descriptor keeps the space");

  await one.put("b", { seed: 2, length: 100 });
  one.payload.extents.seal();
  await settle();
  await two.open("b");
  await one.delete("b");
  assert.equal((await step()).removed, 0);
  assert.equal((await step()).removed, 0);
  await one.store.ephemeral.releaseOwner("two");
  assert.equal((await one.reclaimer.reclaimOnce()).removed, 1);
});

test("a new reclaimer starts over after the death of the last", async () => {
  const database = new SharedDatabase();
  const device = new MemoryDevice();
  const [one, two, three] = ["one", "two", "three"].map(
    (owner) => new Notes(database.storeOf(owner), device),
  );
  for (const notes of [one!, two!, three!]) await notes.reclaimer.join();
  const emptied = async (name: string) => {
    await two!.put(name, { seed: 1, length: 100 });
    two!.payload.extents.seal();
    await settle();
    await two!.delete(name);
  };
  await emptied("a");
  await one!.reclaimer.reclaimOnce();
  await two!.reclaimer.attend();
  await three!.reclaimer.attend();
  await one!.store.ephemeral.releaseOwner("one");
  await emptied("b");
  let removed = 0;
  for (let i = 0; i < 4; i++) {
    removed += (await two!.reclaimer.reclaimOnce()).removed;
    await three!.reclaimer.attend();
  }
  assert.equal(removed, 2);
});

test("the timer drives reclaiming in one process only", async () => {
  const database = new SharedDatabase();
  const device = new MemoryDevice();
  const ticks: (() => void)[] = [];
  const timers: Timers = {
    after: () => ({ cancel() {} }),
    every: (_, run) => {
      ticks.push(run);
      return { cancel: () => ticks.splice(ticks.indexOf(run), 1) };
    },
  };
  const one = new Notes(database.storeOf("one"), device);
  const two = new Notes(database.storeOf("two"), device);
  for (const notes of [one, two]) {
    await notes.reclaimer.join();
    notes.reclaimer.start(timers);
  }
  await one.put("a", { seed: 1, length: 200 });
  await one.delete("a");
  for (let i = 0; i < 6; i++) {
    for (const tick of ticks) tick();
    await settle(50);
  }
  assert.equal(await one.diskBytes(), 0);
  await one.reclaimer.stop();
  await two.put("b", { seed: 1, length: 200 });
  await two.delete("b");
  for (let i = 0; i < 4; i++) {
    for (const tick of ticks) tick();
    await settle(50);
  }
  assert.equal(await one.diskBytes(), 0, "the other one goes on with it");
  await two.reclaimer.stop();
  assert.equal(ticks.length, 0);
});

test("disk use stays within twice the live data, however much is written and deleted", async () => {
  const stats = await extentSpace({
    device: new MemoryDevice(),
    writtenBytes: 256 * MIB,
    liveBytes: 24 * MIB,
    shape: { extentBytesMax: 2 * MIB, writeBufferBytes: MIB },
  });
  assert.ok(isSpaceKept(stats), printStats(stats));
});
