import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { collect } from "../../base/bytes.ts";
import { LIMITS } from "../../base/limits.ts";
import { Refusal, type RefusalCode } from "../../base/refusals.ts";
import { crc64Base64 } from "../../digest/crc64.ts";
import { checkBytes, checkedBody, readDeclaredDigest } from "./digest.ts";

const refusal = (code: RefusalCode) => (error: unknown) => error instanceof Refusal && error.code === code;
const md5Of = (bytes: Uint8Array): string => createHash("md5").update(bytes).digest("base64");

async function* chunks(...parts: readonly (string | Uint8Array)[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield Buffer.from(part);
}

const BYTES = Buffer.from("many writers, no surprises");

test("a body that is what it says passes unchanged", async () => {
  const body = checkedBody(chunks("many writers, ", "no surprises"), {
    declared: readDeclaredDigest({ "content-md5": md5Of(BYTES) }),
    wantsCrc64: true,
  });
  assert.equal(body.md5, undefined);
  assert.deepEqual(await collect(body), BYTES);
  assert.equal(body.md5, md5Of(BYTES));
  assert.equal(body.crc64, crc64Base64(BYTES));
  assert.equal(body.bytesRead, BYTES.length);
});

test("one changed bit is refused at the end of the body", async () => {
  const declared = { "content-md5": md5Of(Buffer.from("other")) };
  const seen: Buffer[] = [];
  await assert.rejects(async () => {
    for await (const chunk of checkedBody(chunks(BYTES), { declared: readDeclaredDigest(declared) }))
      seen.push(chunk);
  }, refusal("Md5Mismatch"));
  assert.equal(seen.length, 1);
  const crc = readDeclaredDigest({ "x-ms-content-crc64": crc64Base64(Buffer.from("other")) });
  await assert.rejects(collect(checkedBody(chunks(BYTES), { declared: crc })), refusal("Crc64Mismatch"));
  assert.throws(
    () => checkBytes(BYTES, { declared: crc }),
    (error: unknown) => {
      assert(error instanceof Refusal);
      assert.equal(error.detail.elements?.ServerCalculatedCrc, crc64Base64(BYTES));
      return true;
    },
  );
});

test("no digest is computed that was not requested", async () => {
  const body = checkedBody(chunks(BYTES), { declared: {} });
  await collect(body);
  assert.equal(body.md5, undefined);
  assert.equal(body.crc64, undefined);
  assert.deepEqual(checkBytes(BYTES, { declared: {}, wantsMd5: true }), {
    md5: md5Of(BYTES),
    crc64: undefined,
  });
});

test("malformed declarations are refused before the body is read", () => {
  const both = { "content-md5": md5Of(BYTES), "x-ms-content-crc64": crc64Base64(BYTES) };
  assert.throws(() => readDeclaredDigest(both), refusal("BothCrc64AndMd5HeaderPresent"));
  for (const md5 of [
    "",
    "abc",
    md5Of(BYTES).slice(1),
    `${md5Of(BYTES)}=`,
    "!".repeat(24),
    "AAAAAAAAAAAAAAAAAAAAAB==",
  ])
    assert.throws(() => readDeclaredDigest({ "content-md5": md5 }), refusal("InvalidMd5"), md5);
  for (const crc of ["AAA", "!AAAAAAAAAA=", "AAAAAAAAAAA"])
    assert.throws(
      () => readDeclaredDigest({ "x-ms-content-crc64": crc }),
      refusal("InvalidHeaderValue"),
      crc,
    );
});

test("an error of the source is not swallowed", async () => {
  async function* broken(): AsyncGenerator<Buffer> {
    yield BYTES;
    throw new Error("socket closed");
  }
  await assert.rejects(collect(checkedBody(broken(), { declared: {}, wantsMd5: true })), /socket closed/);
});

test("every right digest is accepted and every wrong one refused", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ maxLength: 200 }), (bytes, other) => {
      for (const declared of [
        { "content-md5": md5Of(other) },
        { "x-ms-content-crc64": crc64Base64(other) },
      ]) {
        const check = (): unknown => checkBytes(bytes, { declared: readDeclaredDigest(declared) });
        if (Buffer.from(bytes).equals(other)) check();
        else assert.throws(check, Refusal);
      }
    }),
  );
});

test("the digest of a long body is the same, and its chunks wait for the thread that computes it", async () => {
  const long = Buffer.alloc(9 * LIMITS.digestWaitingBytesMax + 3);
  for (let at = 0; at + 4 <= long.length; at += 4_096) long.writeUInt32LE(at, at);
  async function* inChunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < long.length; at += 65_536) yield long.subarray(at, at + 65_536);
  }
  const options = { declared: {}, wantsMd5: true, length: long.length };
  const bodies = [1, 2, 3].map(() => checkedBody(inChunks(), options));
  for (const whole of await Promise.all(bodies.map((body) => collect(body)))) assert.ok(whole.equals(long));
  for (const { md5 } of bodies) assert.equal(md5, md5Of(long));
  const wrong = { ...options, declared: { md5: md5Of(BYTES) } };
  await assert.rejects(collect(checkedBody(inChunks(), wrong)), refusal("Md5Mismatch"));
});

test("long bodies in chunks of any length go through the same memory one after another", async () => {
  const long = Buffer.alloc(3 * LIMITS.digestWaitingBytesMax + 11);
  for (let at = 0; at + 4 <= long.length; at += 1_024) long.writeUInt32LE(at, at);
  async function* inChunks(step: number): AsyncGenerator<Buffer> {
    for (let at = 0, n = 1; at < long.length; n++) {
      const length = (n * step) % (3 * LIMITS.digestPartBytesMax);
      yield long.subarray(at, at + length);
      at += length;
    }
  }
  const options = { declared: {}, wantsMd5: true, length: long.length };
  const bodies = [7_919, 300_007, 500_009, 1_299_709].map((step) => checkedBody(inChunks(step), options));
  await Promise.all(bodies.map((body) => collect(body)));
  for (const { md5 } of bodies) assert.equal(md5, md5Of(long));
});

test("a long body that is given up half way does not disturb the next", async () => {
  const options = { declared: {}, wantsMd5: true, length: LIMITS.longDigestBytes };
  for await (const _ of checkedBody(chunks(BYTES, BYTES), options)) break;
  const next = checkedBody(chunks(BYTES), options);
  await collect(next);
  assert.equal(next.md5, md5Of(BYTES));
});
