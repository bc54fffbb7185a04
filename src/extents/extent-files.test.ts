import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { flipBit } from "../../test/support/crash-device.ts";
import { appendAndRelease, openLog, readAll, sample, settle, TINY } from "../../test/support/extents.ts";
import { DamagedData } from "../base/faults.ts";
import { LIMITS, MIB } from "../base/limits.ts";
import { seededRandom } from "../base/random.ts";
import { DiskDevice } from "./disk-device.ts";
import { ExtentFiles } from "./extent-files.ts";
import { fileNameOf } from "./format.ts";
import { MemoryDevice } from "./memory-device.ts";

async function inDirectory(run: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "holdfast-extents-"));
  try {
    await run(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

test("any flipped bit of a small extent is found when it is read", async () => {
  const device = new MemoryDevice();
  const { log } = openLog(device);
  const slices = [];
  for (let i = 0; i < 3; i++) slices.push(...(await appendAndRelease(log, sample(50 + i, i + 1))).slices);
  const name = fileNameOf(1n);
  const { bytes } = (await device.list())[0]!;
  for (let byte = 0; byte < bytes; byte++) {
    for (let bit = 0; bit < 8; bit++) {
      await flipBit(device, { name, byte, bit });
      // A reader that has not opened the file before, as after a restart.
      await assert.rejects(readAll(new ExtentFiles(device, { shape: TINY }), slices), (error: Error) => {
        assert.ok(error instanceof DamagedData);
        assert.match(error.message, new RegExp(`${name}.*offset`));
        return true;
      });
      await flipBit(device, { name, byte, bit });
    }
  }
  await readAll(new ExtentFiles(device, { shape: TINY }), slices);
});

test("random flipped bits of a large extent are found, and only the damaged chunk is lost", async () => {
  const device = new MemoryDevice();
  const { log, files } = openLog(device, {});
  const content = sample(9 * MIB + 5);
  const { slices } = await appendAndRelease(log, content);
  assert.equal(slices.length, 1);
  const random = seededRandom(42);
  for (let i = 0; i < 60; i++) {
    const byte = 32 + Math.floor(random.fraction() * (slices[0]!.length - 32));
    const at = { name: fileNameOf(1n), byte, bit: i % 8 };
    await flipBit(device, at);
    assert.equal((await files.verify(1n, slices)).length, 1);
    const chunk = Math.floor((byte - 32) / 65_544) * 65_536;
    const before = { from: 0, length: chunk };
    for await (const _ of files.read(slices[0]!, before));
    await assert.rejects(async () => {
      for await (const _ of files.read(slices[0]!, { from: chunk, length: 1 }));
    }, DamagedData);
    await flipBit(device, at);
  }
  assert.deepEqual(await readAll(files, slices), content);
});

test("a frame copied to another place or another extent is not taken for the right one", async () => {
  const device = new MemoryDevice();
  const { log, files } = openLog(device);
  const first = (await appendAndRelease(log, sample(16, 1))).slices[0]!;
  const second = (await appendAndRelease(log, sample(16, 1))).slices[0]!;
  log.seal();
  const other = (await appendAndRelease(log, sample(16, 1))).slices[0]!;
  const frame = Buffer.alloc(24);
  const file = await device.open(fileNameOf(1n));
  await file.read([frame], first.offset);
  await file.write([frame], second.offset);
  await (await device.open(fileNameOf(2n))).write([frame], other.offset);
  for (const slice of [second, other]) await assert.rejects(readAll(files, [slice]), DamagedData);
});

test("a slice beyond the end of its file, or of no file, is damage", async () => {
  const { log, files } = openLog(new MemoryDevice());
  const slice = (await appendAndRelease(log, sample(40))).slices[0]!;
  await assert.rejects(readAll(files, [{ ...slice, length: 400 }]), DamagedData);
  await assert.rejects(readAll(files, [{ ...slice, extent: 9n }]), /0000000000000009.extent is missing/);
  assert.deepEqual(await files.check(9n), { is: "missing" });
});

test("on disk: large appends, ranges, and a reader whose file is unlinked under it", () =>
  inDirectory(async (directory) => {
    const device = DiskDevice.at(join(directory, "made", "here"));
    const { log, files } = openLog(device, {});
    const content = sample(6 * MIB + 123);
    const { slices } = await appendAndRelease(log, content);
    const slice = slices[0]!;
    for (const [from, length] of [
      [0, 1],
      [65_535, 2],
      [MIB - 1, 3 * MIB],
      [content.length - 1, 1],
    ] as const) {
      const parts: Buffer[] = [];
      for await (const part of files.read(slice, { from, length })) parts.push(part);
      assert.ok(Buffer.concat(parts).equals(content.subarray(from, from + length)));
    }
    log.seal();
    await settle();
    const reading = await files.openForRead([slice.extent]);
    await log.remove(slice.extent);
    files.forget(slice.extent);
    assert.equal((await device.list()).length, 0);
    const parts: Buffer[] = [];
    for await (const part of reading.read(slice)) {
      parts.push(part);
      reading.release();
    }
    assert.ok(Buffer.concat(parts).equals(content), "a read that has begun outlives its release");
    assert.equal(files.openCount, 0);
    await assert.rejects(files.openForRead([slice.extent]), DamagedData);
    await log.close();
  }));

test("idle descriptors are bounded, and the least recently used go first", async () => {
  const device = new MemoryDevice();
  const { log } = openLog(device);
  const slices = [];
  for (let i = 0; i < 6; i++) {
    slices.push((await appendAndRelease(log, sample(10, i + 1))).slices[0]!);
    log.seal();
  }
  const opened: string[] = [];
  const open = device.open.bind(device);
  device.open = (name) => {
    opened.push(name);
    return open(name);
  };
  const files = new ExtentFiles(device, { shape: TINY, idleMax: 2 });
  const reading = await files.openForRead(slices.map(({ extent }) => extent));
  assert.equal(files.openCount, 6, "those in use stay open");
  reading.release();
  assert.equal(files.openCount, 2);
  opened.length = 0;
  await readAll(files, slices.slice(4));
  assert.deepEqual(opened, []);
  await readAll(files, slices.slice(0, 1));
  assert.equal(files.openCount, 2);
  assert.deepEqual(opened, [fileNameOf(1n)]);
  files.close();
  assert.equal(files.openCount, 0);
});

test("a consumer that stops early leaves no read behind", async () => {
  const { log, files } = openLog(new MemoryDevice(), {});
  const { slices } = await appendAndRelease(log, sample(5 * MIB));
  for await (const part of files.read(slices[0]!)) {
    assert.ok(part.length >= 512 * 1_024, "large reads come in large parts");
    break;
  }
  files.forget(1n);
  assert.equal(files.openCount, 0);
});

test("many readers that do not go on hold one chunk each once the memory for reading is used up", async () => {
  const device = new MemoryDevice();
  const { log, files } = openLog(device, {});
  const content = sample(6 * MIB);
  const { slices } = await appendAndRelease(log, content);
  const readers = 40;
  const begun: AsyncGenerator<Buffer>[] = [];
  for (let i = 0; i < readers; i++) {
    const reader = files.read(slices[0]!);
    await reader.next();
    begun.push(reader);
  }
  const bound = LIMITS.readMemoryBytes + LIMITS.extentReadBytes + readers * LIMITS.chunkBytes;
  assert.ok(files.memory.pinnedBytes <= bound, `${files.memory.pinnedBytes} bytes are held`);
  // Another reader still gets everything, in smaller steps.
  assert.ok((await readAll(files, slices)).equals(content));
  for (const reader of begun) await reader.return(undefined);
  assert.equal(files.memory.pinnedBytes, 0);
});
