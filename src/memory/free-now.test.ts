import assert from "node:assert/strict";
import { createCipheriv } from "node:crypto";
import { test } from "node:test";
import { KIB, MIB } from "../base/limits.ts";
import { freeNow } from "./free-now.ts";

const PLAIN = Buffer.alloc(64 * KIB);
const sealed = (): Buffer => createCipheriv("aes-128-gcm", Buffer.alloc(16), Buffer.alloc(12)).update(PLAIN);

test("memory that is freed is gone at once, without the garbage collector", () => {
  const before = process.memoryUsage().arrayBuffers;
  for (let chunk = 0; chunk < 1_024; chunk++) freeNow(sealed());
  const grown = process.memoryUsage().arrayBuffers - before;
  assert.ok(grown < MIB, `${grown} bytes are still there`);
});

test("another view of it is empty too", () => {
  const bytes = sealed();
  const view = bytes.subarray(10, 20);
  freeNow(bytes);
  assert.equal(bytes.length, 0);
  assert.equal(view.length, 0);
});
