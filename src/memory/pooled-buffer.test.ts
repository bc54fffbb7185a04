import assert from "node:assert/strict";
import { test } from "node:test";
import { InvariantBroken } from "../base/assert.ts";
import { BufferPool } from "./buffer-pool.ts";
import { narrow, PooledBuffer, release, retain, retainSlice, type Slab } from "./pooled-buffer.ts";

/** A slab whose owner counts how often it got it back. */
function newSlab(): { readonly slab: Slab; readonly recycled: Slab[] } {
  const recycled: Slab[] = [];
  const owner = { recycle: (slab: Slab) => void recycled.push(slab) };
  return { slab: { memory: Buffer.alloc(64, "m"), owner, handles: 0 }, recycled };
}

test("a pooled buffer is a Buffer, and its views are plain ones", () => {
  const { slab } = newSlab();
  const buffer = new PooledBuffer(slab, 8, 24);
  assert.ok(Buffer.isBuffer(buffer) && buffer instanceof PooledBuffer);
  assert.equal(buffer.toString("latin1"), "m".repeat(16));
  buffer.writeUInt32BE(0x61626364, 0);
  assert.equal(slab.memory.toString("latin1", 8, 12), "abcd");
  for (const view of [buffer.subarray(1, 3), buffer.borrow(1, 3)]) {
    assert.equal(view instanceof PooledBuffer, false);
    assert.equal(view.toString(), "bc");
  }
  assert.equal(buffer.map((byte) => byte + 1) instanceof PooledBuffer, false);
});

test("the slab returns to its pool with the last reference, in whatever order they are released", () => {
  const { slab, recycled } = newSlab();
  const whole = new PooledBuffer(slab, 0, 64);
  const part = whole.retainSlice(10, 20);
  assert.equal(part.byteOffset, slab.memory.byteOffset + 10);
  assert.equal(part.retainSlice(2, 4).byteOffset, slab.memory.byteOffset + 12);
  const { slab: other, recycled: recycledOther } = newSlab();
  const first = new PooledBuffer(other, 0, 64);
  const second = first.retainSlice(0, 10);
  assert.equal(first.retain(), first);
  first.release();
  second.release();
  assert.equal(first.isReleased, false);
  assert.deepEqual(recycledOther, []);
  first.release();
  assert.equal(first.isReleased, true);
  assert.deepEqual(recycledOther, [other]);
  whole.release();
  part.release();
  assert.deepEqual(recycled, [], "the slice of the slice is not released yet");
});

test("a second release asserts, also while other references keep the slab", () => {
  const { slab, recycled } = newSlab();
  const buffer = new PooledBuffer(slab, 0, 64);
  const part = buffer.retainSlice(0, 8);
  buffer.release();
  assert.throws(() => buffer.release(), InvariantBroken);
  part.release();
  assert.throws(() => part.release(), InvariantBroken);
  assert.deepEqual(recycled, [slab], "and the slab went back once");
});

test("use after release asserts", () => {
  const { slab } = newSlab();
  const buffer = new PooledBuffer(slab, 0, 64);
  buffer.release();
  assert.throws(() => buffer.retain(), InvariantBroken);
  assert.throws(() => buffer.retainSlice(0, 1), InvariantBroken);
  assert.throws(() => buffer.borrow(), InvariantBroken);
  assert.throws(() => narrow(buffer, 0, 1), InvariantBroken);
});

test("a slice beyond its buffer asserts: the bytes there are of another one", () => {
  const { slab } = newSlab();
  const buffer = new PooledBuffer(slab, 0, 32);
  assert.throws(() => buffer.retainSlice(0, 33), InvariantBroken);
  assert.throws(() => buffer.retainSlice(-1, 3), InvariantBroken);
  assert.throws(() => buffer.retainSlice(4, 3), InvariantBroken);
});

test("a narrowed chunk carries the reference of the whole", () => {
  const { slab, recycled } = newSlab();
  const whole = new PooledBuffer(slab, 0, 64);
  const part = narrow(whole, 4, 8);
  assert.equal(part.length, 4);
  assert.equal(whole.isReleased, true);
  assert.deepEqual(recycled, []);
  part.release();
  assert.deepEqual(recycled, [slab]);
});

test("chunks of plain memory have no references", () => {
  const plain = Buffer.from("plain");
  release(plain);
  release(plain);
  assert.equal(retain(plain), plain);
  assert.equal(retainSlice(plain, 0, 5), plain);
  assert.equal(narrow(plain, 1, 3).toString(), "la");
});

test("a pool does not hand out memory that is still retained", () => {
  const pool = new BufferPool();
  const acquire = (): PooledBuffer => pool.acquireBodyBuffer()!;
  const first = acquire();
  const part = first.retainSlice(5, 105).fill(7);
  pool.releaseBodyBuffer(first);
  const second = acquire();
  assert.notEqual(second.buffer, first.buffer);
  second.fill(1);
  assert.ok(part.every((byte) => byte === 7));
  part.release();
  assert.equal(acquire().buffer, first.buffer, "and does once it is not");
});
