import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { LIMITS, MIB } from "./limits.ts";
import { LongMd5 } from "./md5-thread.ts";
import { giveBack, lendBodyRoom, returnBodyRoom } from "./payload-memory.ts";
import { seededRandom } from "./random.ts";

test("digests side by side, in pieces of any length, more of them than the shared memory holds", async () => {
  const random = seededRandom(7);
  const pool = random.bytes(3_000_000);
  const size = LIMITS.digestWaitingBytesMax;
  // One piece is longer than all of the memory, two are as long as may be put there at once.
  const lengths = [0, 1, 131_072, 65_535, LIMITS.digestPartBytesMax, 700_001, size + 1, 131_071, 2_999_999];
  const uploads = Array.from({ length: 5 }, () => ({ expected: createHash("md5"), md5: new LongMd5() }));
  const send = async (upload: number): Promise<void> => {
    const { expected, md5 } = uploads[upload]!;
    for (let round = 0, sentBytes = 0; sentBytes < 3 * size; round++) {
      const length = lengths[(round + upload) % lengths.length]!;
      const piece =
        length > pool.length ? Buffer.alloc(length, round) : Buffer.from(pool.subarray(0, length));
      expected.update(piece);
      await md5.update(piece);
      // From here on the caller may do with its bytes what it likes.
      piece.fill(0);
      sentBytes += length;
    }
  };
  await Promise.all(uploads.map((_, upload) => send(upload)));
  for (const { expected, md5 } of uploads) assert.equal(await md5.digest(), expected.digest("base64"));
});

test("bytes in rooms are digested where they are, and their rooms serve again afterwards", async () => {
  const expected = createHash("md5");
  const md5 = new LongMd5();
  for (let sentBytes = 0, turn = 0; sentBytes < 40 * MIB; turn++) {
    const room = lendBodyRoom()!.fill(turn % 251);
    for (const piece of [room.subarray(0, 70_000), Buffer.from("elsewhere"), room.subarray(70_000)]) {
      expected.update(piece);
      const isBehind = md5.update(piece);
      if (isBehind !== undefined) await isBehind;
      sentBytes += piece.length;
    }
    // The disk was faster than the thread: what it wrote is given back.
    giveBack(room.subarray(0, 70_000));
    returnBodyRoom(room.subarray(70_000));
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
