import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { flipBit } from "../../../test/support/crash-device.ts";
import { sample } from "../../../test/support/extents.ts";
import { Notes, SharedDatabase } from "../../../test/support/payload.ts";
import { UnusableDirectory } from "../../base/faults.ts";
import { fileNameOf } from "../../extents/format.ts";
import { MemoryDevice } from "../../extents/memory-device.ts";
import { ALL_EXTENTS } from "../../store/keys/payload.ts";
import { extentRecord } from "../../store/records/payload.ts";
import { recover } from "./recover.ts";

async function crashed() {
  const database = new SharedDatabase();
  const device = new MemoryDevice();
  const before = new Notes(database.storeOf("before"), device);
  await before.put("sealed", { seed: 1, length: 200 });
  before.payload.extents.seal();
  await before.payload.extents.close();
  await before.payload.recordSealed();
  await before.put("open", { seed: 2, length: 200 });
  const after = new Notes(database.storeOf("after"), device);
  return { database, device, before, after };
}

const states = (notes: Notes) =>
  notes.store.read(async (read) => {
    const found: string[] = [];
    for await (const { value } of read.range(ALL_EXTENTS)) {
      const { owner, state, bytes } = extentRecord.unpack(value);
      found.push(`${owner} ${state} ${bytes}`);
    }
    return found;
  });

test("extents left open are sealed with their real size, and what was written stays readable", async () => {
  const { after } = await crashed();
  assert.deepEqual(await recover(after.payload, "all"), { sealed: 1, removed: 0 });
  const [first, second] = await states(after);
  assert.match(first!, /^before sealed \d+$/);
  assert.match(second!, /^before sealed 3\d\d$/);
  assert.deepEqual(await after.check(), ["open", "sealed"]);
  await after.audit();
  await after.put("more", { seed: 3, length: 50 });
  assert.equal((await after.check()).length, 3);
  assert.deepEqual(
    await recover(new Notes(after.store, after.payload.files.device).payload, new Set(["unknown"])),
    {
      sealed: 0,
      removed: 0,
    },
  );
});

test("a file without a record goes, a foreign file stays", async () => {
  const { device, after } = await crashed();
  await (await device.create(fileNameOf(99n))).write([sample(10)], 0);
  await device.create("notes.txt");
  assert.deepEqual(await recover(after.payload, "all"), { sealed: 1, removed: 1 });
  const names = (await device.list()).map(({ name }) => name);
  assert.ok(names.includes("notes.txt") && !names.includes(fileNameOf(99n)));
});

test("dead bytes lost from the end of a sealed extent are no reason not to start", async () => {
  const { device, before, after } = await crashed();
  await before.put("tail", { seed: 3, length: 50 });
  await before.payload.close();
  await before.delete("tail");
  await cutTo(device, fileNameOf(2n), (await device.list())[1]!.bytes - 20);
  await recover(after.payload, "all");
  assert.deepEqual(await after.check(), ["open", "sealed"]);
});

test("only the extents of the dead are sealed while others live", async () => {
  const { database, device, after } = await crashed();
  const other = new Notes(database.storeOf("other"), device);
  await other.put("theirs", { seed: 5, length: 100 });
  assert.deepEqual(await recover(after.payload, new Set(["before"])), { sealed: 1, removed: 0 });
  assert.match((await states(after))[2]!, /^other open 0$/);
  await other.put("more", { seed: 6, length: 100 });
  assert.equal((await after.check()).length, 4);
});

test("an extent left empty, or whose file was never made, is reclaimed", async () => {
  const { device, before, after } = await crashed();
  await before.delete("open");
  await device.remove(fileNameOf(2n));
  assert.deepEqual(await recover(after.payload, "all"), { sealed: 1, removed: 0 });
  await after.reclaimAll();
  assert.equal((await states(after)).length, 1);
  assert.deepEqual(await after.check(), ["sealed"]);
});

async function refuses(spoil: (device: MemoryDevice) => Promise<void>, message: RegExp): Promise<void> {
  const { device, after } = await crashed();
  const stray = fileNameOf(99n);
  await device.create(stray);
  await spoil(device);
  const before = await states(after);
  const files = await device.list();
  await assert.rejects(recover(after.payload, "all"), (error: Error) => {
    assert.ok(error instanceof UnusableDirectory);
    assert.match(error.message, message);
    return true;
  });
  assert.deepEqual(await states(after), before, "records are as they were");
  assert.deepEqual(await device.list(), files, "files are as they were");
}

async function cutTo(device: MemoryDevice, name: string, length: number): Promise<void> {
  const bytes = Buffer.alloc(length);
  await (await device.open(name)).read([bytes], 0);
  await device.remove(name);
  await (await device.create(name)).write([bytes], 0);
}

test("a directory that lost payload is refused by the name of the file, and nothing is changed", async () => {
  for (const extent of [1n, 2n]) {
    const name = fileNameOf(extent);
    await refuses((device) => device.remove(name), new RegExp(`${name}.*missing`));
    await refuses((device) => cutTo(device, name, 100), new RegExp(`${name}.*cut off`));
    await refuses((device) => flipBit(device, { name, byte: 20, bit: 0 }), new RegExp(`${name}.*header`));
  }
});

test("a directory of a newer format is refused with its own message", () =>
  refuses(async (device) => {
    const file = await device.open(fileNameOf(1n));
    const header = Buffer.alloc(32);
    await file.read([header], 0);
    header.writeUInt32LE(2, 8);
    header.writeUInt32LE(crc32(header.subarray(0, 28)), 28);
    await file.write([header], 0);
  }, /newer Holdfast/));
