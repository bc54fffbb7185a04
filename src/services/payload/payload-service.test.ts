import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { inParts, sample, settle, TINY } from "../../../test/support/extents.ts";
import { Notes, SharedDatabase } from "../../../test/support/payload.ts";
import { collect } from "../../base/bytes.ts";
import { DamagedData, StorageFault } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import { MemoryDevice } from "../../extents/memory-device.ts";
import { extentKey } from "../../store/keys/payload.ts";
import { extentRecord } from "../../store/records/payload.ts";
import { ingest } from "./content.ts";

const openNotes = (): Notes => new Notes(new SharedDatabase().storeOf("one"), new MemoryDevice());

test("kept slices read back, shared ones live until the last reference is dropped", async () => {
  const notes = openNotes();
  await notes.put("a", { seed: 1, length: 700 });
  await notes.share("a", "b");
  await notes.audit();
  await notes.delete("a");
  assert.deepEqual(await notes.check(), ["b"]);
  await notes.audit();
  await notes.delete("b");
  await notes.audit();
  notes.payload.extents.seal();
  await settle();
  await notes.reclaimAll();
  assert.equal(await notes.diskBytes(), 0);
});

test("a slice named twice by one record is counted twice", async () => {
  const notes = openNotes();
  const { slices, release } = await notes.payload.append(sample(40));
  await notes.store.write((write) => notes.payload.keep(write, slices));
  release();
  const twice = [...slices, ...slices];
  await notes.store.write((write) => notes.payload.share(write, twice));
  await notes.store.write((write) => notes.payload.drop(write, twice));
  const payload = await notes.store.read((read) => notes.payload.open(read, slices));
  assert.deepEqual(await collect(payload.stream(0, 40)), sample(40));
  payload.close();
  await notes.store.write((write) => notes.payload.drop(write, slices));
  await assert.rejects(
    notes.store.read((read) => notes.payload.open(read, slices)),
    DamagedData,
  );
});

test("an extent record is written once for all slices of a call", async () => {
  const notes = openNotes();
  const { slices } = await notes.payload.append(sample(1_000));
  const puts: string[] = [];
  await notes.store.write(async (write) => {
    const put = write.put.bind(write);
    write.put = (key, value) => {
      puts.push(key);
      put(key, value);
    };
    await notes.payload.keep(write, slices);
  });
  const extents = new Set(slices.map(({ extent }) => extent));
  assert.equal(puts.length, slices.length + extents.size);
});

test("an extent ingested over by another process accepts no new references", async () => {
  const notes = openNotes();
  const { slices } = await notes.payload.append(sample(40));
  await notes.store.write(async (write) => {
    const key = extentKey(slices[0]!.extent);
    const record = extentRecord.unpack((await write.get(key))!);
    write.put(key, extentRecord.pack({ ...record, state: "sealed" }));
  });
  await assert.rejects(
    notes.store.write((write) => notes.payload.keep(write, slices)),
    StorageFault,
  );
});

test("any range of an opened payload can be streamed; only the slices of the range are looked up", async () => {
  const notes = openNotes();
  const bytes = sample(2_000);
  const { slices } = await notes.payload.append(bytes);
  assert.ok(slices.length > 3);
  await notes.store.write((write) => notes.payload.keep(write, slices));
  await fc.assert(
    fc.asyncProperty(fc.nat(2_000), fc.nat(2_000), async (one, other) => {
      const from = Math.min(one, other);
      const length = Math.max(one, other) - from;
      const opened = await notes.store.read((read) => notes.payload.open(read, slices, { from, length }));
      assert.equal(opened.length, 2_000);
      assert.deepEqual(await collect(opened.stream(from, length)), bytes.subarray(from, from + length));
      opened.close();
    }),
    { numRuns: 100 },
  );
  const part = await notes.store.read((read) => notes.payload.open(read, slices, { from: 0, length: 10 }));
  await assert.rejects(collect(part.stream(0, 2_000)), /inside what was opened/);
  part.close();
  assert.equal(notes.payload.pins.count, 0);
});

test("read closes what it opened: at the end, when left early, and when never begun", async () => {
  const notes = openNotes();
  const { slices } = await notes.payload.append(sample(500));
  await notes.store.write((write) => notes.payload.keep(write, slices));
  const open = () => notes.store.read((read) => notes.payload.read(read, slices, { from: 0, length: 500 }));
  assert.deepEqual(await collect(await open()), sample(500));
  assert.equal(notes.payload.pins.count, 0);
  for await (const _ of await open()) break;
  assert.equal(notes.payload.pins.count, 0);
  const unused = await open();
  assert.ok(notes.payload.pins.count > 0);
  await unused[Symbol.asyncIterator]().return?.();
  assert.equal(notes.payload.pins.count, 0);
});

test("small content stays in its record, larger content goes to extents", async () => {
  const notes = openNotes();
  const limit = LIMITS.inlineBytesMax;
  for (const [length, isInline] of [
    [0, true],
    [limit, true],
    [limit + 1, false],
  ] as const) {
    assert.equal("inline" in (await notes.putInlineOrNot(`n${length}`, { seed: 3, length })), isInline);
    for (const declared of [undefined, length, 1]) {
      const ingested = await ingest(notes.payload, inParts(sample(length), [1_000]), declared);
      assert.equal("inline" in ingested.content, isInline);
      assert.equal(ingested.length, length);
      ingested.release();
    }
  }
  assert.equal((await notes.check()).length, 3);
});

test("a body whose client disconnects is closed, and leaves nothing", async () => {
  const notes = openNotes();
  let isClosed = false;
  async function* body() {
    try {
      yield sample(LIMITS.inlineBytesMax);
      yield sample(100);
      throw new Error("client gone");
    } finally {
      isClosed = true;
    }
  }
  await assert.rejects(async () => ingest(notes.payload, body()), /client gone/);
  assert.equal(isClosed, true);
  assert.equal(notes.payload.extents.openExtent?.isPending, false);

  isClosed = false;
  notes.payload.append = () => Promise.reject(new StorageFault("the disk has failed"));
  await assert.rejects(async () => ingest(notes.payload, body()), StorageFault);
  assert.equal(isClosed, true, "also when the append never reads");
});

test("sealed extents are recorded again after the store was out of order", async () => {
  const notes = openNotes();
  await notes.put("a", { seed: 1, length: 100 });
  const write = notes.store.write.bind(notes.store);
  notes.store.write = () =>
    Promise.reject(new StorageFault("no space left for records", { isTransient: true }));
  notes.payload.extents.seal();
  await settle();
  notes.store.write = write;
  const state = () =>
    notes.store.read(async (read) => extentRecord.unpack((await read.get(extentKey(1n)))!).state);
  assert.equal(await state(), "open");
  await notes.payload.recordSealed();
  assert.equal(await state(), "sealed");
});

test("an idle process seals its open extent when most of it is dead", async () => {
  const notes = openNotes();
  await notes.put("a", { seed: 1, length: 200 });
  await notes.reclaimer.attend();
  assert.notEqual(notes.payload.extents.openExtent, undefined);
  await notes.delete("a");
  await notes.reclaimer.attend();
  assert.equal(notes.payload.extents.openExtent, undefined);
  await settle();
  await notes.reclaimAll();
  assert.equal(await notes.diskBytes(), 0);
  assert.equal(TINY.extentBytesMax, 512);
});
