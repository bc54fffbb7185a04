import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { LIMITS } from "./limits.ts";
import { LongMd5 } from "./md5-thread.ts";
import { seededRandom } from "./random.ts";

test("digests side by side, in pieces of any length, more of them than the shared memory holds", async () => {
  const random = seededRandom(7);
  const pool = random.bytes(3_000_000);
  // One piece is longer than all of the memory: it has to go another way.
  const lengths = [0, 1, 131_072, 65_535, 700_001, LIMITS.digestSharedBytes + 1, 131_071, 2_999_999];
  const uploads = Array.from({ length: 5 }, (_, upload) => ({
    expected: createHash("md5"),
    md5: new LongMd5(),
    upload,
  }));
  let sentBytes = 0;
  for (let round = 0; sentBytes < 6 * LIMITS.digestSharedBytes; round++) {
    for (const { expected, md5, upload } of uploads) {
      const length = lengths[(round + upload) % lengths.length]!;
      const piece =
        length > pool.length ? Buffer.alloc(length, round) : Buffer.from(pool.subarray(0, length));
      expected.update(piece);
      const room = md5.update(piece);
      // What is handed over is a copy: the caller may do with its bytes what it likes.
      piece.fill(0);
      // Not all of them wait, as when many clients send at once.
      if (upload > 1) await room;
      sentBytes += length;
    }
  }
  for (const { expected, md5 } of uploads) assert.equal(await md5.digest(), expected.digest("base64"));
});

test("a digest that is dropped leaves the others as they are", async () => {
  const [kept, dropped] = [new LongMd5(), new LongMd5()];
  void kept.update(Buffer.from("many writers, "));
  void dropped.update(Buffer.alloc(100_000, 1));
  dropped.drop();
  void kept.update(Buffer.from("no surprises"));
  assert.equal(await kept.digest(), createHash("md5").update("many writers, no surprises").digest("base64"));
});
