import assert from "node:assert/strict";
import { test } from "node:test";
import { KIB } from "../../base/limits.ts";
import { IncomingBody } from "./incoming-body.ts";

const SOURCE = { pause: () => {}, resume: () => {} };

test("bytes that come one by one are gathered in their order", () => {
  const sent = Buffer.from(Array.from({ length: 10_000 }, (_, index) => index % 251));
  const body = new IncomingBody(sent.length, SOURCE);
  for (const byte of sent) assert.equal(body.feed(Buffer.from([byte])), 1);
  assert.ok(body.isComplete);
  assert.deepEqual(Buffer.concat(body.takeAll()), sent);
});

test("a body that has brought a few single bytes holds little memory", () => {
  const COUNT = 1_000;
  const byte = Buffer.from("x");
  const before = process.memoryUsage().arrayBuffers;
  const bodies = Array.from({ length: COUNT }, () => new IncomingBody(4 * KIB * KIB, SOURCE));
  for (let round = 0; round < 10; round++) for (const body of bodies) body.feed(byte);
  const bytesEach = (process.memoryUsage().arrayBuffers - before) / COUNT;
  assert.ok(bytesEach < KIB, `${Math.round(bytesEach)} bytes each`);
});
