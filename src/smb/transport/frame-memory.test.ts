import assert from "node:assert/strict";
import { test } from "node:test";
import { KIB, MIB } from "../../base/limits.ts";
import { SMB_LIMITS } from "../limits.ts";
import { FrameMemory } from "./frame-memory.ts";

test("a long buffer that was given back is used for the next message of about its length", () => {
  const memory = new FrameMemory();
  const first = memory.take(8 * MIB + 112);
  assert.equal(first.length, 8 * MIB + 112);
  memory.give(first);
  const second = memory.take(7 * MIB);
  assert.equal(second.length, 7 * MIB);
  assert.equal(second.buffer, first.buffer);
  assert.equal(memory.freeBytes, 0);
});

test("two messages under way never share a buffer", () => {
  const memory = new FrameMemory();
  memory.give(memory.take(1 * MIB));
  assert.notEqual(memory.take(1 * MIB).buffer, memory.take(1 * MIB).buffer);
});

test("what is kept has a limit, and goes when nobody asks for it", () => {
  const memory = new FrameMemory();
  const taken = Array.from({ length: 8 }, () => memory.take(8 * MIB));
  for (const frame of taken) memory.give(frame);
  assert.ok(memory.freeBytes > 8 * MIB && memory.freeBytes <= SMB_LIMITS.freeFrameBytesMax);
  memory.sweep();
  assert.ok(memory.freeBytes > 0, "somebody took one since the last sweep");
  memory.sweep();
  assert.equal(memory.freeBytes, 0);
});

test("a short message is never kept: its buffer holds others too", () => {
  const memory = new FrameMemory();
  memory.give(memory.take(1 * KIB));
  assert.equal(memory.freeBytes, 0);
});

test("a buffer that is not ours, or was given back already, is not kept", () => {
  const memory = new FrameMemory();
  memory.give(Buffer.allocUnsafeSlow(1 * MIB));
  assert.equal(memory.freeBytes, 0);
  const taken = memory.take(1 * MIB);
  memory.give(taken.subarray(10, 20));
  const kept = memory.freeBytes;
  memory.give(taken);
  assert.equal(memory.freeBytes, kept);
});
