import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CrashDevice } from "../../test/support/crash-device.ts";
import {
  appendAndRelease,
  inParts,
  openLog,
  readAll,
  sample,
  settle,
  TINY,
} from "../../test/support/extents.ts";
import { OutOfSpace, StorageFault } from "../base/faults.ts";
import { LIMITS } from "../base/limits.ts";
import type { ExtentFiles } from "./extent-files.ts";
import { FILE_HEADER_BYTES, type Slice, storedBytes } from "./format.ts";
import { MemoryDevice } from "./memory-device.ts";

test("an append reads back byte for byte, whatever parts it came in", async () => {
  const { log, files } = openLog(new MemoryDevice());
  for (const sizes of [[1], [16], [64], [15, 17], [1_000], [3, 64, 200]]) {
    const bytes = sample(900);
    const appended = await log.append(inParts(bytes, sizes));
    assert.equal(appended.length, 900);
    assert.deepEqual(await readAll(files, appended.slices), bytes);
    appended.release();
  }
});

test("an empty source has no slices and costs no sync", async () => {
  const device = new CrashDevice();
  const { log } = openLog(device);
  assert.deepEqual((await log.append(Buffer.alloc(0))).slices, []);
  assert.equal(device.journal.length, 0);
});

test("adjacent buffers become one slice, and no slice crosses an extent", async () => {
  const { log } = openLog(new MemoryDevice());
  const { slices } = await log.append(sample(600));
  // 512 bytes fit the header and five buffers of 64 bytes in four frames each.
  assert.deepEqual(
    slices.map(({ extent, length }) => ({ extent, length })),
    [
      { extent: 1n, length: 320 },
      { extent: 2n, length: 280 },
    ],
  );
  assert.equal(slices[0]!.offset, FILE_HEADER_BYTES);
});

test("a slice does not grow behind a chunk that is not full", async () => {
  const { log, files } = openLog(new MemoryDevice());
  const first = await appendAndRelease(log, sample(20, 1));
  const second = await appendAndRelease(log, sample(20, 2));
  assert.equal(second.slices[0]!.offset, first.slices[0]!.offset + storedBytes(20, TINY));
  assert.deepEqual(await readAll(files, second.slices), sample(20, 2));
});

test("appendWhole makes one slice and refuses a source of another length", async () => {
  const { log, files } = openLog(new MemoryDevice());
  await appendAndRelease(log, sample(200));
  const bytes = sample(300);
  const appended = await log.appendWhole(inParts(bytes, [50]), 300);
  assert.equal(appended.slices.length, 1);
  assert.deepEqual(await readAll(files, appended.slices), bytes);
  await assert.rejects(log.appendWhole(sample(99), 100), StorageFault);
  await assert.rejects(log.appendWhole(sample(101), 100), StorageFault);
});

test("an extent is sealed only when every append into it has been released", async () => {
  const { log, sealed } = openLog(new MemoryDevice());
  const early = await log.append(sample(10));
  for (let i = 0; i < 8; i++) await appendAndRelease(log, sample(100));
  await settle();
  assert.equal(sealed.has(early.slices[0]!.extent), false);
  early.release();
  early.release();
  await settle();
  assert.equal(sealed.has(early.slices[0]!.extent), true);
});

test("closing seals the open extent and reports its size", async () => {
  const device = new MemoryDevice();
  const { log, sealed } = openLog(device);
  await appendAndRelease(log, sample(40));
  await log.close();
  assert.deepEqual([...sealed], [[1n, FILE_HEADER_BYTES + storedBytes(40, TINY)]]);
  assert.equal((await device.list())[0]!.bytes, sealed.get(1n));
});

test("an append resolves after a sync that began after its last write", async () => {
  const device = new CrashDevice();
  const { log } = openLog(device);
  await log.append(sample(100));
  const last = device.journal.at(-1)!;
  const lastWrite = device.journal.findLastIndex(({ kind }) => kind === "write");
  assert.ok(last.kind === "sync" && last.covers > lastWrite);
  assert.ok(device.journal.some(({ kind }) => kind === "syncDirectory"));
});

test("what came whole is on the disk before its source has checked it, and not one byte too few if it goes on", async () => {
  const device = new CrashDevice();
  const { log, files } = openLog(device);
  for (const declared of [100, 90, 64]) {
    let letEnd = (): void => {};
    const source = async function* (): AsyncGenerator<Buffer> {
      yield sample(declared);
      await new Promise<void>((resolve) => (letEnd = resolve));
      yield sample(100).subarray(declared);
    };
    const append = log.append(source(), declared);
    await settle();
    const early = device.journal.at(-1)!;
    assert.ok(early.kind === "sync", `${declared} bytes are synced while the source has not ended`);
    letEnd();
    const { slices } = await append;
    assert.deepEqual(await readAll(files, slices), sample(100));
    const last = device.journal.at(-1)!;
    const lastWrite = device.journal.findLastIndex(({ kind }) => kind === "write");
    assert.ok(last.kind === "sync" && last.covers > lastWrite);
    assert.equal(last === early, declared === 100, "a sync more only for bytes that came later");
  }
});

test("appends that arrive during a sync share the next one", async () => {
  const device = new CrashDevice();
  const { log } = openLog(device, { ...TINY, extentBytesMax: 65_536 });
  await appendAndRelease(log, sample(10));
  let letSyncGo = (): void => {};
  let syncs = 0;
  device.before = async (kind) => {
    if (kind !== "sync") return;
    if (++syncs === 1) await new Promise<void>((resolve) => (letSyncGo = resolve));
  };
  const first = log.append(sample(10));
  await settle();
  const others = Array.from({ length: 50 }, (_, i) => log.append(sample(10, i)));
  await settle();
  assert.equal(syncs, 1);
  letSyncGo();
  await Promise.all([first, ...others]);
  assert.equal(syncs, 2);
});

test("a failing source rejects, leaves only dead bytes and holds nothing", async () => {
  const { log, files, sealed } = openLog(new MemoryDevice());
  async function* leaving() {
    yield sample(150);
    throw new Error("client gone");
  }
  await assert.rejects(log.append(leaving()), /client gone/);
  const after = await appendAndRelease(log, sample(100, 2));
  assert.deepEqual(await readAll(files, after.slices), sample(100, 2));
  await log.close();
  assert.equal(sealed.has(1n), true);
});

test("a full disk rejects as transient, and appending continues when there is space again", async () => {
  const device = new CrashDevice();
  const { log, files, idsGiven } = openLog(device);
  let isFull = true;
  device.before = (kind) => {
    if (isFull && kind === "write") throw Object.assign(new Error("full"), { code: "ENOSPC" });
  };
  const noSpace = (error: unknown): boolean => error instanceof OutOfSpace && error.isTransient;
  // Not even the header of the first extent can be written: the same id is tried again.
  for (let i = 0; i < 5; i++) await assert.rejects(log.append(sample(100)), noSpace);
  assert.equal(idsGiven(), 1n);
  isFull = false;
  const early = await appendAndRelease(log, sample(100, 1));
  isFull = true;
  for (let i = 0; i < 5; i++) await assert.rejects(log.append(sample(100)), noSpace);
  isFull = false;
  const late = await appendAndRelease(log, sample(100, 2));
  assert.equal(idsGiven(), 1n, "the extent stays in use");
  assert.deepEqual(await readAll(files, early.slices), sample(100, 1));
  assert.deepEqual(await readAll(files, late.slices), sample(100, 2));
});

test("the next extent is made while the open one fills, and who fills it finds it there", async () => {
  const device = new CrashDevice();
  const { log, files, sealed } = openLog(device);
  await appendAndRelease(log, sample(200, 1));
  await settle();
  assert.equal((await device.list()).length, 1, "not before it is needed");
  await appendAndRelease(log, sample(100, 2));
  await settle();
  assert.equal((await device.list()).length, 2);
  device.before = (kind) => {
    if (kind === "create") throw Object.assign(new Error("full"), { code: "ENOSPC" });
  };
  const { slices } = await appendAndRelease(log, sample(200, 3));
  assert.equal(slices.at(-1)!.extent, 2n);
  assert.deepEqual(await readAll(files, slices), sample(200, 3));
  device.before = () => {};
  await appendAndRelease(log, sample(100, 4));
  await log.close();
  assert.equal(sealed.get(3n), FILE_HEADER_BYTES, "an unused one is sealed empty");
});

test("a next extent that could not be created is created by the append that needs it, under the same id", async () => {
  const device = new CrashDevice();
  const { log, files, idsGiven } = openLog(device);
  await appendAndRelease(log, sample(200, 1));
  let failures = 0;
  device.before = (kind) => {
    if (kind !== "create") return;
    failures++;
    throw Object.assign(new Error("full"), { code: "ENOSPC" });
  };
  await appendAndRelease(log, sample(60, 2));
  await appendAndRelease(log, sample(30, 3));
  await appendAndRelease(log, sample(10, 4));
  await settle();
  assert.equal(failures, 1, "tried once, however many come");
  await assert.rejects(log.append(sample(200, 5)), OutOfSpace);
  device.before = () => {};
  const { slices } = await appendAndRelease(log, sample(200, 5));
  assert.deepEqual(await readAll(files, slices), sample(200, 5));
  assert.equal(idsGiven(), 2n);
});

test("appends side by side that say how long they are stay whole", async () => {
  const { log, files } = openLog(new CrashDevice(), { ...TINY, extentBytesMax: 65_536 });
  async function* slowly(bytes: Buffer): AsyncGenerator<Buffer> {
    for await (const part of inParts(bytes, [16])) {
      await settle(1);
      yield part;
    }
  }
  const bodies = [1, 2, 3].map((seed) => sample(250, seed));
  const appended = await Promise.all(bodies.map((body) => log.append(slowly(body), body.length)));
  for (const [i, { slices, length }] of appended.entries()) {
    assert.equal(length, 250);
    assert.equal(slices.length, 1);
    assert.deepEqual(await readAll(files, slices), bodies[i]);
  }
  // The declared length may be wrong: a longer body continues elsewhere, a shorter one leaves dead space.
  for (const declared of [1, 70, 1_000]) {
    const wrong = await log.append(slowly(bodies[0]!), declared);
    assert.deepEqual(await readAll(files, wrong.slices), bodies[0]);
  }
});

test("many appends claim no more space than they fill", async () => {
  const { log } = openLog(new CrashDevice(), { ...TINY, extentBytesMax: 1_048_576 });
  let release = (): void => {};
  const standing = new Promise<void>((resolve) => {
    release = resolve;
  });
  async function* stalls(): AsyncGenerator<Buffer> {
    yield sample(64);
    await standing;
  }
  const count = 2 * LIMITS.reservingAppendsMax;
  const appends = Array.from({ length: count }, () => log.append(stalls(), 1_048_576));
  await settle();
  const most =
    LIMITS.reservingAppendsMax * storedBytes(LIMITS.writeBuffersReservedMax * 64, { chunkBytes: 16 });
  assert.ok(log.openExtent!.bytes <= most + count * storedBytes(64, { chunkBytes: 16 }) + FILE_HEADER_BYTES);
  release();
  for (const { release: unref } of await Promise.all(appends)) unref();
});

test("space of failed appends is used again while nothing lies behind it", async () => {
  const device = new CrashDevice();
  const { log, files } = openLog(device, { ...TINY, extentBytesMax: 65_536 });
  const first = await appendAndRelease(log, sample(10));
  const { bytes } = log.openExtent!;
  async function* leaving(): AsyncGenerator<Buffer> {
    yield sample(100, 7);
    throw new Error("client gone");
  }
  await assert.rejects(log.append(leaving(), 1_000), /client gone/);
  assert.equal(log.openExtent!.bytes, bytes);
  device.before = (kind) => {
    if (kind === "write") throw Object.assign(new Error("full"), { code: "ENOSPC" });
  };
  await Promise.allSettled(Array.from({ length: 10 }, () => log.append(sample(200))));
  await assert.rejects(log.appendWhole(sample(200), 200));
  device.before = () => {};
  assert.equal(log.openExtent!.bytes, bytes, "whichever came first");
  const late = await appendAndRelease(log, sample(200, 2));
  assert.deepEqual(await readAll(files, first.slices), sample(10));
  assert.deepEqual(await readAll(files, late.slices), sample(200, 2));
});

test("a write that fails for another reason retires its extent", async () => {
  const device = new CrashDevice();
  const { log, files } = openLog(device);
  await appendAndRelease(log, sample(10));
  device.before = (kind) => {
    if (kind === "write") throw Object.assign(new Error("broken"), { code: "EIO" });
  };
  await assert.rejects(
    log.append(sample(10)),
    (error) => error instanceof StorageFault && !error.isTransient,
  );
  device.before = () => {};
  const next = await appendAndRelease(log, sample(10, 3));
  assert.equal(next.slices[0]!.extent, 2n);
  assert.deepEqual(await readAll(files, next.slices), sample(10, 3));
});

test("after a failed sync no append is ever declared that it succeeded", async () => {
  const device = new CrashDevice();
  const { log, syncFailures } = openLog(device);
  await appendAndRelease(log, sample(10));
  const broken = new Error("EIO");
  device.before = (kind) => {
    if (kind === "sync") throw broken;
  };
  let isAnswered = false;
  const append = log.append(sample(10)).finally(() => (isAnswered = true));
  void append.catch(() => {});
  await settle();
  assert.deepEqual(syncFailures, [broken]);
  device.before = () => {};
  await assert.rejects(log.append(sample(10)), StorageFault);
  await settle();
  assert.equal(isAnswered, false);
});

test("a slow disk holds the source up: memory stays within a few write buffers", async () => {
  const device = new CrashDevice();
  const { log } = openLog(device);
  await appendAndRelease(log, sample(1));
  let letWritesGo = (): void => {};
  const released = new Promise<void>((resolve) => (letWritesGo = resolve));
  device.before = async (kind) => {
    if (kind === "write") await released;
  };
  let pulled = 0;
  async function* endless() {
    for (let i = 0; i < 100; i++) {
      pulled += 16;
      yield sample(16);
    }
  }
  const append = log.append(endless());
  await settle(50);
  assert.ok(pulled <= (LIMITS.writeBuffersInFlightMax + 1) * TINY.writeBufferBytes, `${pulled} bytes pulled`);
  letWritesGo();
  assert.equal((await append).length, 1_600);
});

test("an extent whose file cannot be closed is whole, but only recovery will call it sealed", async () => {
  const device = new CrashDevice();
  const { log, files, sealed } = openLog(device);
  const { slices } = await appendAndRelease(log, sample(10));
  device.before = (kind) => {
    if (kind === "close") throw Object.assign(new Error("broken"), { code: "EIO" });
  };
  await log.close();
  assert.equal(sealed.size, 0);
  assert.deepEqual(await readAll(files, slices), sample(10));
});

test("removing a file twice is fine, removing the open one is a bug", async () => {
  const { log, files } = openLog(new MemoryDevice());
  await appendAndRelease(log, sample(10));
  await assert.rejects(log.remove(1n), /open extent/);
  log.seal();
  await log.remove(1n);
  await log.remove(1n);
  assert.equal((await files.list()).has(1n), false);
});

test("appends at the same time never meet: any mix of them and any ranges of them", async () => {
  const append = fc.record({
    length: fc.integer({ min: 0, max: 700 }),
    parts: fc.array(fc.integer({ min: 1, max: 130 }), { minLength: 1, maxLength: 4 }),
    range: fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
    fails: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(append, { minLength: 1, maxLength: 12 }), async (appends) => {
      const { log, files } = openLog(new MemoryDevice());
      const done = await Promise.all(
        appends.map(async ({ length, parts, fails }, seed) => {
          const bytes = sample(length, seed + 1);
          async function* source() {
            for await (const part of inParts(bytes, parts)) {
              await new Promise((resolve) => setImmediate(resolve));
              yield part;
            }
            if (fails) throw new Error("client gone");
          }
          const appended = await log.append(source()).catch(() => undefined);
          return { bytes, appended };
        }),
      );
      for (const [i, { bytes, appended }] of done.entries()) {
        assert.equal(appended === undefined, appends[i]!.fails);
        if (appended === undefined) continue;
        assert.deepEqual(await readAll(files, appended.slices), bytes);
        await checkRanges(files, appended.slices, bytes, appends[i]!.range);
      }
    }),
    { numRuns: 150 },
  );
});

async function checkRanges(
  files: ExtentFiles,
  slices: readonly Slice[],
  bytes: Buffer,
  [low, high]: [number, number],
): Promise<void> {
  let start = 0;
  for (const slice of slices) {
    const from = Math.floor(low * slice.length);
    const length = Math.floor(high * (slice.length - from));
    const parts: Buffer[] = [];
    for await (const part of files.read(slice, { from, length })) parts.push(part);
    assert.deepEqual(Buffer.concat(parts), bytes.subarray(start + from, start + from + length));
    start += slice.length;
  }
}

test("of a thousand slow clients none makes us wait for a whole chunk, and their bytes read back", async () => {
  const device = new MemoryDevice();
  const { log, files } = openLog(device, {});
  let go: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    go = resolve;
  });
  const start = sample(LIMITS.earlyWriteBytes + 5);
  async function* slow(): AsyncGenerator<Buffer> {
    yield Buffer.from(start);
    await released;
    yield Buffer.from("end");
  }
  const appends = Array.from({ length: LIMITS.patientAppendsMax + 3 }, () => log.append(slow()));
  await settle();
  const [file] = await device.list();
  assert.ok(file!.bytes > 2 * start.length, "the last ones are on the disk already");
  go();
  for (const appended of await Promise.all(appends)) {
    const bytes = await readAll(files, appended.slices);
    assert.ok(bytes.equals(Buffer.concat([start, Buffer.from("end")])));
    assert.ok(appended.slices.length <= 2);
    appended.release();
  }
});
