import assert from "node:assert/strict";
import { createCipheriv } from "node:crypto";
import { test } from "node:test";
import { seedOfThisRun } from "../../../test/support/seed.ts";
import { seededRandom } from "../../base/random.ts";
import { Gmac } from "./gmac.ts";
import { SIGNING, signerOf } from "./signing.ts";

function expected(key: Buffer, parts: readonly Buffer[], messageId: bigint, flag: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64LE(messageId);
  nonce[8] = flag;
  const cipher = createCipheriv("aes-128-gcm", key, nonce).setAAD(Buffer.concat(parts));
  cipher.final();
  return cipher.getAuthTag();
}

test("the tag of any short message, in any parts, is the one OpenSSL computes", (t) => {
  const random = seededRandom(seedOfThisRun(t));
  const pick = (count: number): number => Math.floor(random.fraction() * count);
  for (let round = 0; round < 40; round++) {
    const key = random.bytes(16);
    const gmac = new Gmac(key);
    for (let step = 0; step < 50; step++) {
      const parts = Array.from({ length: 1 + pick(4) }, () => random.bytes(pick(3) === 0 ? 0 : pick(160)));
      const messageId = BigInt(pick(200)) + (pick(9) === 0 ? 2n ** 63n : 0n);
      const flag = pick(2) as 0 | 1;
      assert.deepEqual(gmac.tag(parts, messageId, flag), expected(key, parts, messageId, flag));
    }
  }
});

test("every length from nothing to beyond what is signed in short has the right tag", (t) => {
  const random = seededRandom(seedOfThisRun(t));
  const key = random.bytes(16);
  const sign = signerOf(SIGNING.AES_GMAC, key);
  for (let bytes = 1; bytes <= 600; bytes++) {
    const part = random.bytes(bytes);
    const message = { messageId: BigInt(bytes), isFromServer: bytes % 2 === 0, isCancel: bytes % 7 === 0 };
    const flag = (message.isFromServer ? 1 : 0) | (message.isCancel ? 2 : 0);
    assert.deepEqual(sign([part], message), expected(key, [part], message.messageId, flag));
  }
});

test("words of all ones and single bits are multiplied without a carry", () => {
  for (const fill of [0x00, 0xff, 0x80, 0x01, 0x88, 0x11]) {
    const key = Buffer.alloc(16, fill);
    const gmac = new Gmac(key);
    for (const byte of [0x00, 0xff, 0x80, 0x01]) {
      const part = Buffer.alloc(48, byte);
      assert.deepEqual(gmac.tag([part], 5n, 0), expected(key, [part], 5n, 0));
    }
  }
});
