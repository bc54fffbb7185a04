import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { seedOfThisRun } from "../../test/support/seed.ts";
import { LIMITS, MIB } from "../base/limits.ts";
import { seededRandom } from "../base/random.ts";
import { bufferPool } from "../memory/buffer-pool.ts";
import { DIGEST_PRIORITY, LongMd5 } from "./md5-thread.ts";

test("concurrent digests of chunks of any length, with more bytes than the shared memory holds", async () => {
  const random = seededRandom(7);
  const pool = random.bytes(3_000_000);
  const size = LIMITS.digestWaitingBytesMax;
  // One chunk is longer than the memory, two are as long as one message may be.
  const lengths = [0, 1, 131_072, 65_535, LIMITS.digestPartBytesMax, 700_001, size + 1, 131_071, 2_999_999];
  const uploads = Array.from({ length: 5 }, () => ({ expected: createHash("md5"), md5: new LongMd5() }));
  const send = async (upload: number): Promise<void> => {
    const { expected, md5 } = uploads[upload]!;
    for (let round = 0, sentBytes = 0; sentBytes < 3 * size; round++) {
      const length = lengths[(round + upload) % lengths.length]!;
      const chunk =
        length > pool.length ? Buffer.alloc(length, round) : Buffer.from(pool.subarray(0, length));
      expected.update(chunk);
      await md5.update(chunk);
      // From here on the caller may overwrite its bytes.
      chunk.fill(0);
      sentBytes += length;
    }
  };
  await Promise.all(uploads.map((_, upload) => send(upload)));
  for (const { expected, md5 } of uploads) assert.equal(await md5.digest(), expected.digest("base64"));
});

test("pooled bytes are digested in place, and the pool reuses their memory only afterwards", async () => {
  const expected = createHash("md5");
  const md5 = new LongMd5();
  for (let sentBytes = 0, round = 0; sentBytes < 40 * MIB; round++) {
    const buffer = bufferPool.acquireBodyBuffer()!;
    buffer.fill(round % 251);
    const slices = [buffer.retainSlice(0, 70_000), buffer.retainSlice(70_000, buffer.length)];
    for (const chunk of [slices[0]!, Buffer.from("elsewhere"), slices[1]!]) {
      expected.update(chunk);
      const isBehind = md5.update(chunk);
      if (isBehind !== undefined) await isBehind;
      sentBytes += chunk.length;
    }
    // The disk was faster than the thread: the writer releases its references.
    for (const slice of slices) slice.release();
    bufferPool.releaseBodyBuffer(buffer);
  }
  assert.equal(await md5.digest(), expected.digest("base64"));
});

test("a digest that is dropped leaves the others as they are", async () => {
  const [kept, dropped] = [new LongMd5(), new LongMd5()];
  void kept.update(Buffer.from("many writers, "));
  void dropped.update(Buffer.alloc(100_000, 1));
  dropped.drop();
  void kept.update(Buffer.from("no surprises"));
  assert.equal(await kept.digest(), createHash("md5").update("many writers, no surprises").digest("base64"));
});

test("the digests of the examples in RFC 1321", async () => {
  const examples = {
    "": "d41d8cd98f00b204e9800998ecf8427e",
    a: "0cc175b9c0f1b6a831c399e269772661",
    abc: "900150983cd24fb0d6963f7d28e17f72",
    "message digest": "f96b697d7cb7938d525a2f31aaf161d0",
    abcdefghijklmnopqrstuvwxyz: "c3fcd3d76192e4007dfb496cca67e13b",
    ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789: "d174ab98d277d9f5a5611c2c9f419d9f",
    ["1234567890".repeat(8)]: "57edf4a22be3c955ac49da2e2107b67a",
  };
  for (const [text, expected] of Object.entries(examples)) {
    const md5 = new LongMd5();
    void md5.update(Buffer.from(text));
    assert.equal(Buffer.from(await md5.digest(), "base64").toString("hex"), expected, text);
  }
});

test("bodies of any length, cut anywhere and lying anywhere, have the digest that node:crypto finds", async (t) => {
  const buffer = bufferPool.acquireBodyBuffer()!;
  buffer.set(seededRandom(11).bytes(buffer.length));
  // Mostly around the length of a block; some of several kilobytes. Pooled and plain.
  const length = fc.oneof({ weight: 3, arbitrary: fc.nat(140) }, fc.nat(5_000));
  const part = fc.record({ length, at: fc.nat(buffer.length - 5_000), isElsewhere: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 12 }), async (parts) => {
      const [expected, md5] = [createHash("md5"), new LongMd5()];
      for (const { length, at, isElsewhere } of parts) {
        const bytes = buffer.retainSlice(at, at + length);
        expected.update(bytes);
        await md5.update(isElsewhere ? Buffer.from(bytes) : bytes);
        bytes.release();
      }
      assert.equal(await md5.digest(), expected.digest("base64"));
    }),
    { numRuns: 500, seed: seedOfThisRun(t) },
  );
  bufferPool.releaseBodyBuffer(buffer);
});

test("a body whose length in bits exceeds 32 bits", async () => {
  const chunk = Buffer.alloc(LIMITS.digestPartBytesMax, "holdfast");
  const [expected, md5] = [createHash("md5"), new LongMd5()];
  for (let sentBytes = 0; sentBytes <= 512 * MIB; sentBytes += chunk.length) {
    expected.update(chunk);
    await md5.update(chunk);
  }
  assert.equal(await md5.digest(), expected.digest("base64"));
});

/** The priority of each thread of this process: a field after the name, which may contain blanks. */
function prioritiesOfThreads(): number[] {
  return readdirSync("/proc/self/task").map((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
  });
}

const isElsewhere = process.platform !== "linux" && "only Linux has a priority for each thread";
test("only the digest thread gets a higher priority, where the system allows it", {
  skip: isElsewhere,
}, async () => {
  const before = prioritiesOfThreads().filter((one) => one !== DIGEST_PRIORITY);
  const md5 = new LongMd5();
  await md5.update(Buffer.from("abc"));
  assert.equal(await md5.digest(), createHash("md5").update("abc").digest("base64"));
  const preferred = prioritiesOfThreads().filter((one) => one === DIGEST_PRIORITY);
  const mayPrefer = process.getuid?.() === 0 && availableParallelism() > 1;
  assert.equal(preferred.length, mayPrefer ? 1 : 0);
  assert.ok(before.every((one) => one === before[0]));
});

test("thousands of digests dropped together are one message to the thread", async (t) => {
  const all = Array.from({ length: 2_000 }, () => new LongMd5());
  for (const md5 of all) await md5.update(Buffer.alloc(100, 1));
  const sent = t.mock.method(Worker.prototype, "postMessage");
  for (const md5 of [...all, ...all]) md5.drop();
  await new Promise((resolve) => setImmediate(resolve));
  // The pending updates of the last ones, and one message that drops all.
  assert.ok(sent.mock.callCount() <= 2, `${sent.mock.callCount()} messages`);
  sent.mock.restore();
  const kept = new LongMd5();
  await kept.update(Buffer.from("holdfast"));
  assert.equal(await kept.digest(), createHash("md5").update("holdfast").digest("base64"));
});

test("parts of hundreds of bodies that come in one tick are a few messages to the thread", async (t) => {
  const all = Array.from({ length: 300 }, () => new LongMd5());
  const sent = t.mock.method(Worker.prototype, "postMessage");
  all.forEach((md5, index) => {
    assert.equal(md5.update(Buffer.alloc(100, index)), undefined);
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(sent.mock.callCount() <= 3, `${sent.mock.callCount()} messages`);
  sent.mock.restore();
  const digests = await Promise.all(all.map((md5) => md5.digest()));
  digests.forEach((digest, index) => {
    assert.equal(digest, createHash("md5").update(Buffer.alloc(100, index)).digest("base64"));
  });
});
