import assert from "node:assert/strict";
import { test } from "node:test";
import { RecordDecodeCache } from "./record-decode-cache.ts";

test("the same bytes at a key are unpacked once, others anew, and the caller's buffer is not kept", () => {
  let count = 0;
  const cache = new RecordDecodeCache((bytes) => {
    count++;
    return { text: bytes.toString() };
  });
  const bytes = Buffer.from("first");
  const record = cache.unpack("a", bytes);
  assert.equal(cache.unpack("a", Buffer.from("first")), record);
  assert.equal(count, 1);
  bytes.write("other");
  assert.equal(cache.unpack("a", bytes).text, "other");
  assert.equal(cache.unpack("b", bytes).text, "other");
  assert.equal(cache.unpack("a", Buffer.from("first")).text, "first");
  assert.equal(count, 4);
});

test("what is cache is bounded", () => {
  const cache = new RecordDecodeCache((bytes) => bytes.length);
  for (let i = 0; i < 10_000; i++) assert.equal(cache.unpack(`key ${i}`, Buffer.alloc(i % 7)), i % 7);
});
