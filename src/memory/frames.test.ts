import assert from "node:assert/strict";
import { test } from "node:test";
import { KIB, LIMITS, MIB } from "../base/limits.ts";
import { BufferPool } from "./buffer-pool.ts";
import { PooledBuffer, release } from "./pooled-buffer.ts";

test("a released frame serves the next message of about its length", () => {
  const pool = new BufferPool();
  const first = pool.acquireFrame(8 * MIB + 112);
  assert.equal(first.length, 8 * MIB + 112);
  release(first);
  const second = pool.acquireFrame(7 * MIB);
  assert.equal(second.length, 7 * MIB);
  assert.equal(second.buffer, first.buffer);
  release(second);
});

test("two messages in flight never share a frame", () => {
  const pool = new BufferPool();
  release(pool.acquireFrame(1 * MIB));
  const frames = [pool.acquireFrame(1 * MIB), pool.acquireFrame(1 * MIB)];
  assert.notEqual(frames[0]!.buffer, frames[1]!.buffer);
  for (const frame of frames) release(frame);
});

test("idle private memory has a limit, and returns to the system after a quiet time", () => {
  const pool = new BufferPool();
  const frames = Array.from({ length: 12 }, () => pool.acquireFrame(8 * MIB));
  for (const frame of frames) release(frame);
  assert.ok(pool.idleBytes > 8 * MIB && pool.idleBytes <= LIMITS.idleFrameBytesMax);
  pool.sweep();
  assert.ok(pool.idleBytes > 0, "a message used one since the last sweep");
  const before = process.memoryUsage().arrayBuffers;
  const { idleBytes } = pool;
  pool.sweep();
  assert.equal(pool.idleBytes, 0);
  assert.ok(before - process.memoryUsage().arrayBuffers >= idleBytes, "and its bytes are the system's again");
});

test("a short message has plain memory", () => {
  assert.equal(new BufferPool().acquireFrame(1 * KIB) instanceof PooledBuffer, false);
});
