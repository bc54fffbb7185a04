import assert from "node:assert/strict";
import { test } from "node:test";
import { ChunkReader } from "./chunks.ts";
import { Malformed } from "./request-head.ts";

/** Feeds `text` in parts of `step` bytes; returns the content and what lies behind the body. */
function read(text: string, step: number): { content: string; rest: string | undefined } {
  const reader = new ChunkReader();
  const data = Buffer.from(text, "latin1");
  let content = "";
  for (let at = 0; at < data.length; at += step) {
    const part = data.subarray(at, at + step);
    const end = reader.read(part, (chunk) => {
      content += chunk.toString("latin1");
    });
    if (end >= 0) return { content, rest: data.subarray(at + end).toString("latin1") };
  }
  return { content, rest: undefined };
}

test("chunks give their content however they are cut", () => {
  const body = "5;name=value\r\nhello\r\nA\r\n, 10 bytes\r\n0\r\nTrailer: x\r\nOther: y\r\n\r\nGET /";
  for (let step = 1; step <= body.length; step++) {
    assert.deepEqual(read(body, step), { content: "hello, 10 bytes", rest: "GET /" }, `in parts of ${step}`);
  }
});

test("an empty body is one chunk of nothing", () => {
  assert.deepEqual(read("0\r\n\r\n", 1), { content: "", rest: "" });
});

test("a body that is not there yet has no end", () => {
  assert.deepEqual(read("5\r\nhel", 2), { content: "hel", rest: undefined });
});

test("what is not a chunk is malformed", () => {
  for (const text of [
    "\r\n",
    "g\r\n",
    "-1\r\n",
    "0x5\r\nhello\r\n",
    " 5\r\nhello",
    "5 \r\nhello",
    "5\nhello\r\n",
    "5\r\nhello0\r\n\r\n",
    "5\r\nhello\n0\r\n\r\n",
    "5\r\nhello\r0\r\n\r\n",
    "5;a\nb\r\nhello",
    "0\r\nTrailer: x\n\r\n",
    "1234567890123\r\n",
    `5;${"x".repeat(10_000)}\r\nhello\r\n`,
  ]) {
    for (const step of [1, 1_000_000]) {
      assert.throws(() => read(text, step), Malformed, `${JSON.stringify(text.slice(0, 40))} in ${step}`);
    }
  }
});
