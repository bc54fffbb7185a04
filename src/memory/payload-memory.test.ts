import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "../base/limits.ts";
import { isCommon } from "./common-memory.ts";
import {
  acquireBodyBuffer,
  acquireReadBuffer,
  copyForBody,
  hold,
  release,
  releaseBodyBuffer,
} from "./payload-memory.ts";

const BUFFER_BYTES = LIMITS.bodyBufferBytes;

test("what reads have used, bodies use next: free rooms of one size make way for another", () => {
  const reads = Array.from({ length: 24 }, () => acquireReadBuffer(LIMITS.extentReadBytes));
  const endOf = (pool: readonly Buffer[]): number =>
    Math.max(...pool.filter(isCommon).map(({ byteOffset, length }) => byteOffset + length));
  const end = endOf(reads);
  for (const [index, bytes] of reads.entries()) bytes.fill(index);
  for (const bytes of reads) release(bytes);
  const bodies = Array.from({ length: 64 }, () => acquireBodyBuffer()!);
  assert.ok(bodies.every(isCommon));
  assert.ok(endOf(bodies) <= end, "no page that no read has touched");
  for (const [index, buffer] of bodies.entries()) buffer.fill(index);
  for (const [index, buffer] of bodies.entries()) assert.ok(buffer.every((byte) => byte === index));
  for (const buffer of bodies) releaseBodyBuffer(buffer);
});

test("bytes that are held are not written over, whoever else gives theirs back", () => {
  const held: [number, Buffer][] = [];
  for (let turn = 0; turn < 400; turn++) {
    const fill = turn % 251;
    const length = 1 + ((turn * 7_919) % (BUFFER_BYTES / 2));
    if (turn % 2 === 0) held.push([fill, copyForBody(Buffer.alloc(length, fill))]);
    else {
      const buffer = acquireBodyBuffer()!.fill(fill);
      held.push([fill, buffer.subarray(0, length)], [fill, buffer.subarray(length, 2 * length)]);
      releaseBodyBuffer(buffer.subarray(2 * length));
    }
    release(held.splice((turn * 31) % held.length, 1)[0]![1]);
  }
  for (const [fill, bytes] of held) assert.ok(bytes.every((byte) => byte === fill));
  for (const [, bytes] of held) release(bytes);
});

test("a room serves again when all of it has been given back, in whatever parts, and not before", () => {
  const buffer = acquireBodyBuffer()!;
  const others = (): Buffer[] => {
    const borrowed = Array.from({ length: 20 }, () => acquireBodyBuffer()!);
    for (const other of borrowed) releaseBodyBuffer(other);
    return borrowed;
  };
  release(buffer.subarray(0, 100));
  assert.equal(others().includes(buffer), false);
  release(buffer.subarray(200));
  assert.equal(others().includes(buffer), false);
  releaseBodyBuffer(buffer.subarray(100, 200));
  assert.equal(others().includes(buffer), true);
});

test("the end of a room that was used up is given back without effect", () => {
  const buffer = acquireBodyBuffer()!;
  release(buffer);
  releaseBodyBuffer(buffer.subarray(BUFFER_BYTES));
  assert.notEqual(acquireBodyBuffer(), acquireBodyBuffer());
});

test("bodies beyond a number have no room until one is returned", () => {
  const borrowed: Buffer[] = [];
  for (let buffer = acquireBodyBuffer(); buffer !== undefined; buffer = acquireBodyBuffer())
    borrowed.push(buffer);
  assert.ok(borrowed.length <= LIMITS.bodyBuffersMax);
  releaseBodyBuffer(borrowed.pop()!);
  borrowed.push(acquireBodyBuffer()!);
  assert.equal(acquireBodyBuffer(), undefined);
  for (const buffer of borrowed) releaseBodyBuffer(buffer);
});

test("memory for a read is used again when the read and what was cut off it are given back", () => {
  for (const length of [LIMITS.chunkBytes, LIMITS.chunkBytes - 7, LIMITS.extentReadBytes - 1]) {
    const bytes = acquireReadBuffer(length);
    assert.equal(bytes.length, length);
    release(bytes.subarray(10));
    assert.notEqual(acquireReadBuffer(length).buffer, bytes.buffer);
    release(bytes.subarray(0, 10));
    assert.equal(acquireReadBuffer(length).buffer, bytes.buffer);
  }
  for (const length of [1, LIMITS.chunkBytes / 4, 2 * LIMITS.extentReadBytes]) {
    const bytes = acquireReadBuffer(length);
    assert.equal(bytes.buffer.byteLength, length);
    release(bytes);
    assert.notEqual(acquireReadBuffer(length).buffer, bytes.buffer);
  }
});

test("a room whose bytes somebody holds as well serves again when both have given them back", () => {
  const buffer = acquireBodyBuffer()!;
  assert.equal(hold(buffer.subarray(5, 105)), true);
  releaseBodyBuffer(buffer);
  const other = acquireBodyBuffer()!;
  assert.notEqual(other, buffer);
  release(buffer.subarray(5, 105));
  assert.equal(acquireBodyBuffer(), buffer);
  releaseBodyBuffer(buffer);
  releaseBodyBuffer(other);
  assert.equal(hold(Buffer.alloc(10)), false);
});

test("when all rooms of the common memory are in use, others are made", () => {
  const count = LIMITS.commonReadBytesMax / LIMITS.extentReadBytes;
  const taken = Array.from({ length: count + 2 }, () => acquireReadBuffer(LIMITS.extentReadBytes));
  const common = taken.filter((bytes) => isCommon(bytes)).length;
  assert.ok(common > 0 && common <= count);
  assert.equal(new Set(taken.map((bytes) => bytes.buffer)).size, count + 2);
  for (const bytes of taken) release(bytes);
  const again = Array.from({ length: common }, () => acquireReadBuffer(LIMITS.extentReadBytes));
  assert.ok(again.every((bytes) => isCommon(bytes)));
});

test("a copy is a copy, and memory from elsewhere is nobody's room", () => {
  const source = Buffer.from("lent");
  const copy = copyForBody(source);
  source.fill(0);
  assert.equal(copy.toString(), "lent");
  const long = copyForBody(Buffer.alloc(2 * BUFFER_BYTES, 7));
  assert.equal(long.length, 2 * BUFFER_BYTES);
  release(long);
  release(Buffer.alloc(10));
  release(copy);
});

test("a room that is not kept for the next transfer is free at once", () => {
  const borrowed = Array.from({ length: 64 }, () => acquireReadBuffer(LIMITS.extentReadBytes));
  const before = process.memoryUsage().arrayBuffers;
  for (const buffer of borrowed) release(buffer);
  const elsewhere = borrowed.filter((buffer) => !isCommon(buffer));
  const kept = elsewhere.filter(({ length }) => length > 0);
  assert.ok(elsewhere.length > 0 && kept.length * LIMITS.extentReadBytes <= LIMITS.idlePayloadBytesMax);
  const freed = (elsewhere.length - kept.length) * LIMITS.extentReadBytes;
  assert.ok(before - process.memoryUsage().arrayBuffers >= freed, "and its bytes are the system's again");
});
