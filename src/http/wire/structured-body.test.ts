import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { Readable } from "node:stream";
import { test } from "node:test";
import fc from "fast-check";
import { collect } from "../../base/bytes.ts";
import { MIB } from "../../base/limits.ts";
import { Refusal, type RefusalCode } from "../../base/refusals.ts";
import {
  decodeStructuredBody,
  encodeStructuredBody,
  readStructuredBody,
  STRUCTURED_BODY,
  structuredLength,
  wantsStructuredBody,
} from "./structured-body.ts";

const refusal = (code: RefusalCode) => (error: unknown) => error instanceof Refusal && error.code === code;

/** The bytes in chunks of the given size, as a socket may cut them. */
async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

const encode = (content: Buffer): Promise<Buffer> =>
  collect(encodeStructuredBody(inChunks(content, 1_000), { contentLength: content.length }));
const decode = (message: Buffer, contentLength: number, size = 7): Promise<Buffer> =>
  collect(decodeStructuredBody(inChunks(message, size), { contentLength }));

test("a body comes out as it went in, however it is cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 300 }),
      fc.integer({ min: 1, max: 40 }),
      async (bytes, size) => {
        const content = Buffer.from(bytes);
        const message = await encode(content);
        assert.equal(message.length, structuredLength(content.length));
        assert.deepEqual(await decode(message, content.length, size), content);
      },
    ),
  );
});

test("more than one segment", async () => {
  const content = Buffer.alloc(9 * MIB, "holdfast");
  const message = await encode(content);
  assert.equal(message.readUInt16LE(11), 3);
  assert(content.equals(await decode(message, content.length, 65_536)));
});

test("the Azure SDK comes to the end of a body without content", async () => {
  const fromBlob = createRequire(createRequire(import.meta.url).resolve("@azure/storage-blob"));
  const common = fromBlob("@azure/storage-common");
  await common.StorageCRC64Calculator.init();
  const message = await encode(Buffer.alloc(0));
  assert.equal(message.readUInt16LE(11), 1);
  const theirs = common.structuredMessageDecodingStream(Readable.from([message]), {}) as Readable;
  assert.equal((await collect(theirs)).length, 0);
  // A message of no segments at all is what some clients send.
  const none = Buffer.concat([message.subarray(0, 13), message.subarray(-8)]);
  none.writeBigUInt64LE(BigInt(none.length), 1);
  none.writeUInt16LE(0, 11);
  assert.equal((await decode(none, 0)).length, 0);
});

test("the Azure SDK reads and writes the same bytes", async () => {
  const fromBlob = createRequire(createRequire(import.meta.url).resolve("@azure/storage-blob"));
  const common = fromBlob("@azure/storage-common");
  await common.StorageCRC64Calculator.init();
  const content = Buffer.alloc(5 * MIB + 3, "abc");
  const theirs = await common.structuredMessageEncoding(content, content.length);
  const message = await collect(theirs.body as Readable);
  assert(message.equals(await encode(content)));
  assert(content.equals(await decode(message, content.length, 65_536)));
});

test("every flipped bit and every cut is noticed", async () => {
  const content = Buffer.from("many writers, no surprises");
  const message = await encode(content);
  for (let i = 0; i < message.length; i++) {
    const damaged = Buffer.from(message);
    damaged[i]! ^= 1 << (i % 8);
    await assert.rejects(decode(damaged, content.length), Refusal, `byte ${i}`);
    await assert.rejects(
      decode(message.subarray(0, i), content.length),
      refusal("InvalidInput"),
      `cut at ${i}`,
    );
  }
  await assert.rejects(
    decode(Buffer.concat([message, Buffer.of(0)]), content.length),
    refusal("InvalidInput"),
  );
  await assert.rejects(decode(message, content.length + 1), refusal("InvalidInput"));
});

test("a reader that stops early closes the source", async () => {
  let isClosed = false;
  async function* source(message: Buffer): AsyncGenerator<Buffer> {
    try {
      yield message.subarray(0, 30);
      yield message.subarray(30);
    } finally {
      isClosed = true;
    }
  }
  const content = Buffer.alloc(100, "x");
  const message = await encode(content);
  for await (const _ of decodeStructuredBody(source(message), { contentLength: 100 })) break;
  assert.equal(isClosed, true);
  isClosed = false;
  await assert.rejects(collect(decodeStructuredBody(source(message), { contentLength: 99 })), Refusal);
  assert.equal(isClosed, true);
});

test("arbitrary bytes are refused and nothing else", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), fc.nat(100), async (bytes, contentLength) => {
      await assert.rejects(decode(Buffer.from(bytes), contentLength), Refusal);
    }),
  );
});

test("the headers that announce it", () => {
  assert.equal(readStructuredBody({}), undefined);
  assert.equal(wantsStructuredBody({}), false);
  assert.equal(wantsStructuredBody({ "x-ms-structured-body": STRUCTURED_BODY }), true);
  const header = { "x-ms-structured-body": "XSM/1.0;properties=crc64" };
  assert.deepEqual(readStructuredBody({ ...header, "x-ms-structured-content-length": "12" }), {
    contentLength: 12,
  });
  assert.throws(() => readStructuredBody(header), refusal("MissingRequiredHeader"));
  assert.throws(
    () => readStructuredBody({ ...header, "x-ms-structured-content-length": "-1" }),
    refusal("InvalidHeaderValue"),
  );
  assert.throws(
    () => wantsStructuredBody({ "x-ms-structured-body": "XSM/2.0" }),
    refusal("InvalidHeaderValue"),
  );
});
