import { LIMITS } from "./limits.ts";

/**
 * Memory for payload on its way between clients and the disk. It is used again as soon as the bytes in it have arrived:
 * left to the garbage collector, a transfer leaves as much memory behind as it has bytes, long after it has ended, and
 * the system has to find and clear new pages for every mebibyte.
 *
 * Whoever has bytes of it and never gives them back only keeps a room from being used again.
 */
interface Room {
  readonly memory: Buffer;
  readonly siblings: Room[];
  takenBytes: number;
  returnedBytes: number;
}

const roomOf = new WeakMap<ArrayBufferLike, Room>();
/** Rooms that nobody uses, by their size. */
const bodyRooms: Room[] = [];
const chunkRooms: Room[] = [];
const readRooms: Room[] = [];

/** Where copies of bodies go. */
let current: Room | undefined;
let lentRooms = 0;

function roomFor(siblings: Room[], bytes: number): Room {
  const used = siblings.pop();
  if (used !== undefined) return used;
  const memory = Buffer.allocUnsafeSlow(bytes);
  const room = { memory, siblings, takenBytes: 0, returnedBytes: 0 };
  roomOf.set(memory.buffer, room);
  return room;
}

/**
 * A room for a body that comes in large pieces. It is chosen before the next read and filled by it, however much later
 * that is: so it belongs to one body, and when too many have one, others read elsewhere and copy. What a body did not
 * use of it is handed to `returnBodyRoom`.
 */
export function lendBodyRoom(): Buffer | undefined {
  if (lentRooms >= LIMITS.bodyRoomsMax) return undefined;
  lentRooms++;
  const room = roomFor(bodyRooms, LIMITS.bodyRoomBytes);
  room.takenBytes = LIMITS.bodyRoomBytes;
  return room.memory;
}

export function returnBodyRoom(rest: Buffer): void {
  lentRooms--;
  giveBack(rest);
}

/** A copy of a large part of a body. */
export function copyForBody(bytes: Buffer): Buffer {
  if (bytes.length > LIMITS.bodyRoomBytes) return Buffer.from(bytes);
  if (current === undefined || LIMITS.bodyRoomBytes - current.takenBytes < bytes.length) {
    const former = current;
    current = roomFor(bodyRooms, LIMITS.bodyRoomBytes);
    if (former !== undefined && former.returnedBytes === former.takenBytes) letGo(former);
  }
  const from = current.takenBytes;
  current.takenBytes += bytes.length;
  const copy = current.memory.subarray(from, current.takenBytes);
  copy.set(bytes);
  return copy;
}

/** For one read from the disk. What would leave more than half of a room empty has memory of its own. */
export function memoryForRead(length: number): Buffer {
  const isChunk = length <= LIMITS.chunkBytes;
  const bytes = isChunk ? LIMITS.chunkBytes : LIMITS.extentReadBytes;
  if (length > bytes || length < bytes / 2) return Buffer.allocUnsafeSlow(length);
  const room = roomFor(isChunk ? chunkRooms : readRooms, bytes);
  room.takenBytes = length;
  return room.memory.subarray(0, length);
}

/** Nobody will look at these bytes again. Once for each byte that was taken; other memory is left alone. */
export function giveBack(bytes: Uint8Array): void {
  const room = roomOf.get(bytes.buffer);
  if (room === undefined || bytes.length === 0) return;
  room.returnedBytes += bytes.length;
  if (room !== current && room.returnedBytes === room.takenBytes) letGo(room);
}

function letGo(room: Room): void {
  room.takenBytes = 0;
  room.returnedBytes = 0;
  const { memory, siblings } = room;
  if ((siblings.length + 1) * memory.length <= LIMITS.idlePayloadBytesMax) siblings.push(room);
  else roomOf.delete(memory.buffer);
}
