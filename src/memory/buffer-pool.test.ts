import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "../base/limits.ts";
import { bufferPool } from "./buffer-pool.ts";
import { commonMemory } from "./common-memory.ts";
import { narrow, type OwnedChunk, type PooledBuffer, release } from "./pooled-buffer.ts";

const acquireBodyBuffer = (): PooledBuffer | undefined => bufferPool.acquireBodyBuffer();
const releaseBodyBuffer = (buffer: PooledBuffer): void => bufferPool.releaseBodyBuffer(buffer);
const acquireRead = (length: number): OwnedChunk => bufferPool.acquireRead(length);
const copyForBody = (bytes: Buffer): OwnedChunk => bufferPool.copyForBody(bytes);

const BUFFER_BYTES = LIMITS.bodyBufferBytes;

test("the pool evicts free buffers of one size for another: bodies use the memory of reads", () => {
  const reads = Array.from({ length: 24 }, () => acquireRead(LIMITS.extentReadBytes));
  const endOf = (pool: readonly Buffer[]): number =>
    Math.max(
      ...pool
        .filter((bytes) => commonMemory.includes(bytes))
        .map(({ byteOffset, length }) => byteOffset + length),
    );
  const end = endOf(reads);
  for (const [index, bytes] of reads.entries()) bytes.fill(index);
  for (const bytes of reads) release(bytes);
  const bodies = Array.from({ length: 64 }, () => acquireBodyBuffer()!);
  assert.ok(bodies.every((bytes) => commonMemory.includes(bytes)));
  assert.ok(endOf(bodies) <= end, "no page that no read has touched");
  for (const [index, buffer] of bodies.entries()) buffer.fill(index);
  for (const [index, buffer] of bodies.entries()) assert.ok(buffer.every((byte) => byte === index));
  for (const buffer of bodies) releaseBodyBuffer(buffer);
});

test("retained bytes stay as they are while other owners release theirs", () => {
  const owned: [number, OwnedChunk][] = [];
  for (let round = 0; round < 400; round++) {
    const fill = round % 251;
    const length = 1 + ((round * 7_919) % (BUFFER_BYTES / 2));
    if (round % 2 === 0) owned.push([fill, copyForBody(Buffer.alloc(length, fill))]);
    else {
      const buffer = acquireBodyBuffer()!;
      buffer.fill(fill);
      owned.push([fill, buffer.retainSlice(0, length)], [fill, buffer.retainSlice(length, 2 * length)]);
      releaseBodyBuffer(buffer);
    }
    release(owned.splice((round * 31) % owned.length, 1)[0]![1]);
  }
  for (const [fill, bytes] of owned) assert.ok(bytes.every((byte) => byte === fill));
  for (const [, bytes] of owned) release(bytes);
});

test("the pool uses memory again when all slices of it are released, and not before", () => {
  const buffer = acquireBodyBuffer()!;
  const others = (): ArrayBufferLike[] => {
    const borrowed = Array.from({ length: 20 }, () => acquireBodyBuffer()!);
    for (const other of borrowed) releaseBodyBuffer(other);
    return borrowed.map((other) => other.buffer);
  };
  const [first, last] = [buffer.retainSlice(0, 100), buffer.retainSlice(200, BUFFER_BYTES)];
  first.release();
  assert.equal(others().includes(buffer.buffer), false);
  last.release();
  assert.equal(others().includes(buffer.buffer), false);
  releaseBodyBuffer(buffer);
  assert.equal(others().includes(buffer.buffer), true);
});

test("bodies beyond a number get no buffer until one is released", () => {
  const borrowed: PooledBuffer[] = [];
  for (let buffer = acquireBodyBuffer(); buffer !== undefined; buffer = acquireBodyBuffer())
    borrowed.push(buffer);
  assert.ok(borrowed.length <= LIMITS.bodyBuffersMax);
  releaseBodyBuffer(borrowed.pop()!);
  borrowed.push(acquireBodyBuffer()!);
  assert.equal(acquireBodyBuffer(), undefined);
  for (const buffer of borrowed) releaseBodyBuffer(buffer);
});

test("the pool uses the memory of a read again when the narrowed chunk is released", () => {
  for (const length of [LIMITS.chunkBytes, LIMITS.chunkBytes - 7, LIMITS.extentReadBytes - 1]) {
    const bytes = acquireRead(length);
    assert.equal(bytes.length, length);
    const part = narrow(bytes, 10, length);
    const other = acquireRead(length);
    assert.notEqual(other.buffer, bytes.buffer);
    release(part);
    const again = acquireRead(length);
    assert.equal(again.buffer, bytes.buffer);
    release(other);
    release(again);
  }
  for (const length of [1, LIMITS.chunkBytes / 4, 2 * LIMITS.extentReadBytes]) {
    const bytes = acquireRead(length);
    assert.equal(bytes.buffer.byteLength, length);
    release(bytes);
    assert.notEqual(acquireRead(length).buffer, bytes.buffer);
  }
});

test("when all buffers of the common memory are in use, the pool allocates private ones", () => {
  const count = LIMITS.commonReadBytesMax / LIMITS.extentReadBytes;
  const reads = Array.from({ length: count + 2 }, () => acquireRead(LIMITS.extentReadBytes));
  const common = reads.filter((bytes) => commonMemory.includes(bytes)).length;
  assert.ok(common > 0 && common <= count);
  assert.equal(new Set(reads.map((bytes) => bytes.buffer)).size, count + 2);
  for (const bytes of reads) release(bytes);
  const again = Array.from({ length: common }, () => acquireRead(LIMITS.extentReadBytes));
  assert.ok(again.every((bytes) => commonMemory.includes(bytes)));
});

test("a copy is a copy, and memory from elsewhere is not pooled", () => {
  const source = Buffer.from("borrowed");
  const copy = copyForBody(source);
  source.fill(0);
  assert.equal(copy.toString(), "borrowed");
  const long = copyForBody(Buffer.alloc(2 * BUFFER_BYTES, 7));
  assert.equal(long.length, 2 * BUFFER_BYTES);
  release(long);
  release(Buffer.alloc(10));
  release(copy);
});

test("private memory that is not kept for the next transfer is free at once", () => {
  const borrowed = Array.from({ length: 64 }, () => acquireRead(LIMITS.extentReadBytes));
  const before = process.memoryUsage().arrayBuffers;
  for (const buffer of borrowed) release(buffer);
  const elsewhere = borrowed.filter((buffer) => !commonMemory.includes(buffer));
  const kept = elsewhere.filter(({ length }) => length > 0);
  assert.ok(elsewhere.length > 0 && kept.length * LIMITS.extentReadBytes <= LIMITS.idlePayloadBytesMax);
  const freed = (elsewhere.length - kept.length) * LIMITS.extentReadBytes;
  assert.ok(before - process.memoryUsage().arrayBuffers >= freed, "and its bytes are the system's again");
});
