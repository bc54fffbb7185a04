import assert from "node:assert/strict";
import { test } from "node:test";
import { isCommon } from "./common-memory.ts";
import { LIMITS } from "./limits.ts";
import {
  copyForBody,
  giveBack,
  hold,
  lendBodyRoom,
  memoryForRead,
  returnBodyRoom,
} from "./payload-memory.ts";

const ROOM = LIMITS.bodyRoomBytes;

test("what reads have used, bodies use next: free rooms of one size make way for another", () => {
  const reads = Array.from({ length: 24 }, () => memoryForRead(LIMITS.extentReadBytes));
  const endOf = (rooms: readonly Buffer[]): number =>
    Math.max(...rooms.filter(isCommon).map(({ byteOffset, length }) => byteOffset + length));
  const end = endOf(reads);
  for (const [index, bytes] of reads.entries()) bytes.fill(index);
  for (const bytes of reads) giveBack(bytes);
  const bodies = Array.from({ length: 64 }, () => lendBodyRoom()!);
  assert.ok(bodies.every(isCommon));
  assert.ok(endOf(bodies) <= end, "no page that no read has touched");
  for (const [index, room] of bodies.entries()) room.fill(index);
  for (const [index, room] of bodies.entries()) assert.ok(room.every((byte) => byte === index));
  for (const room of bodies) returnBodyRoom(room);
});

test("bytes that are held are not written over, whoever else gives theirs back", () => {
  const held: [number, Buffer][] = [];
  for (let turn = 0; turn < 400; turn++) {
    const fill = turn % 251;
    const length = 1 + ((turn * 7_919) % (ROOM / 2));
    if (turn % 2 === 0) held.push([fill, copyForBody(Buffer.alloc(length, fill))]);
    else {
      const room = lendBodyRoom()!.fill(fill);
      held.push([fill, room.subarray(0, length)], [fill, room.subarray(length, 2 * length)]);
      returnBodyRoom(room.subarray(2 * length));
    }
    giveBack(held.splice((turn * 31) % held.length, 1)[0]![1]);
  }
  for (const [fill, bytes] of held) assert.ok(bytes.every((byte) => byte === fill));
  for (const [, bytes] of held) giveBack(bytes);
});

test("a room serves again when all of it has been given back, in whatever parts, and not before", () => {
  const room = lendBodyRoom()!;
  const others = (): Buffer[] => {
    const lent = Array.from({ length: 20 }, () => lendBodyRoom()!);
    for (const other of lent) returnBodyRoom(other);
    return lent;
  };
  giveBack(room.subarray(0, 100));
  assert.equal(others().includes(room), false);
  giveBack(room.subarray(200));
  assert.equal(others().includes(room), false);
  returnBodyRoom(room.subarray(100, 200));
  assert.equal(others().includes(room), true);
});

test("the end of a room that was used up is given back without effect", () => {
  const room = lendBodyRoom()!;
  giveBack(room);
  returnBodyRoom(room.subarray(ROOM));
  assert.notEqual(lendBodyRoom(), lendBodyRoom());
});

test("bodies beyond a number have no room until one is returned", () => {
  const lent: Buffer[] = [];
  for (let room = lendBodyRoom(); room !== undefined; room = lendBodyRoom()) lent.push(room);
  assert.ok(lent.length <= LIMITS.bodyRoomsMax);
  returnBodyRoom(lent.pop()!);
  lent.push(lendBodyRoom()!);
  assert.equal(lendBodyRoom(), undefined);
  for (const room of lent) returnBodyRoom(room);
});

test("memory for a read is used again when the read and what was cut off it are given back", () => {
  for (const length of [LIMITS.chunkBytes, LIMITS.chunkBytes - 7, LIMITS.extentReadBytes - 1]) {
    const bytes = memoryForRead(length);
    assert.equal(bytes.length, length);
    giveBack(bytes.subarray(10));
    assert.notEqual(memoryForRead(length).buffer, bytes.buffer);
    giveBack(bytes.subarray(0, 10));
    assert.equal(memoryForRead(length).buffer, bytes.buffer);
  }
  for (const length of [1, LIMITS.chunkBytes / 4, 2 * LIMITS.extentReadBytes]) {
    const bytes = memoryForRead(length);
    assert.equal(bytes.buffer.byteLength, length);
    giveBack(bytes);
    assert.notEqual(memoryForRead(length).buffer, bytes.buffer);
  }
});

test("a room whose bytes somebody holds as well serves again when both have given them back", () => {
  const room = lendBodyRoom()!;
  assert.equal(hold(room.subarray(5, 105)), true);
  returnBodyRoom(room);
  const other = lendBodyRoom()!;
  assert.notEqual(other, room);
  giveBack(room.subarray(5, 105));
  assert.equal(lendBodyRoom(), room);
  returnBodyRoom(room);
  returnBodyRoom(other);
  assert.equal(hold(Buffer.alloc(10)), false);
});

test("when all rooms of the common memory are in use, others are made", () => {
  const count = LIMITS.commonReadBytesMax / LIMITS.extentReadBytes;
  const taken = Array.from({ length: count + 2 }, () => memoryForRead(LIMITS.extentReadBytes));
  const common = taken.filter((bytes) => isCommon(bytes)).length;
  assert.ok(common > 0 && common <= count);
  assert.equal(new Set(taken.map((bytes) => bytes.buffer)).size, count + 2);
  for (const bytes of taken) giveBack(bytes);
  const again = Array.from({ length: common }, () => memoryForRead(LIMITS.extentReadBytes));
  assert.ok(again.every((bytes) => isCommon(bytes)));
});

test("a copy is a copy, and memory from elsewhere is nobody's room", () => {
  const source = Buffer.from("lent");
  const copy = copyForBody(source);
  source.fill(0);
  assert.equal(copy.toString(), "lent");
  const long = copyForBody(Buffer.alloc(2 * ROOM, 7));
  assert.equal(long.length, 2 * ROOM);
  giveBack(long);
  giveBack(Buffer.alloc(10));
  giveBack(copy);
});

test("a room that is not kept for the next transfer is free at once", () => {
  const lent = Array.from({ length: 64 }, () => memoryForRead(LIMITS.extentReadBytes));
  const before = process.memoryUsage().arrayBuffers;
  for (const room of lent) giveBack(room);
  const elsewhere = lent.filter((room) => !isCommon(room));
  const kept = elsewhere.filter(({ length }) => length > 0);
  assert.ok(elsewhere.length > 0 && kept.length * LIMITS.extentReadBytes <= LIMITS.idlePayloadBytesMax);
  const freed = (elsewhere.length - kept.length) * LIMITS.extentReadBytes;
  assert.ok(before - process.memoryUsage().arrayBuffers >= freed, "and its bytes are the system's again");
});
