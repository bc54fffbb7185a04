import { copyInto } from "./bytes.ts";
import { CommonParts, isCommon } from "./common-memory.ts";
import { freeNow } from "./free-now.ts";
import { LIMITS } from "./limits.ts";

/**
 * Memory for payload on its way between clients and the disk. It is used again as soon as the bytes in it have arrived:
 * left to the garbage collector, a transfer leaves as much memory behind as it has bytes, long after it has ended, and
 * the system has to find and clear new pages for every mebibyte.
 *
 * Most rooms lie in the common memory, where checksums and digests need no copy; others are made when those are all in
 * use. Whoever has bytes of a room and never gives them back only keeps it from being
 * used again until the garbage collector has found it.
 */
interface Room {
  readonly memory: Buffer;
  readonly rooms: Rooms;
  takenBytes: number;
  returnedBytes: number;
}

const roomOf = new WeakMap<ArrayBufferLike, Room>();

/** All sizes: what one of them keeps for its next transfer, another one may need now. */
const allRooms: Rooms[] = [];
/** Of rooms that are kept and lie elsewhere, of all sizes. */
let idleBytes = 0;

/** The rooms of one size. */
class Rooms {
  readonly roomBytes: number;
  readonly #common: CommonParts;
  /** Free at the moment: in the common memory, and elsewhere. */
  readonly #free: Room[] = [];
  readonly #freeElsewhere: Room[] = [];

  constructor(roomBytes: number, commonBytesMax: number) {
    this.roomBytes = roomBytes;
    this.#common = new CommonParts(roomBytes, commonBytesMax);
    allRooms.push(this);
  }

  take(takenBytes: number): Room {
    const room = this.#free.pop() ?? this.#makeCommon() ?? this.#takeElsewhere();
    room.takenBytes = takenBytes;
    room.returnedBytes = 0;
    return room;
  }

  #makeCommon(): Room | undefined {
    if (this.#common.isFull) return undefined;
    let memory = this.#common.take(false);
    // Free rooms of other sizes are evicted first: memory that was used once cannot be given back to the system.
    for (const other of allRooms)
      while (memory === undefined && other !== this && other.#evict()) memory = this.#common.take(false);
    memory ??= this.#common.take();
    return memory === undefined ? undefined : this.#make(memory);
  }

  #evict(): boolean {
    const room = this.#free.pop();
    if (room === undefined) return false;
    roomOf.delete(room.memory.buffer);
    this.#common.release(room.memory);
    return true;
  }

  #takeElsewhere(): Room {
    const kept = this.#freeElsewhere.pop();
    if (kept === undefined) return this.#make(Buffer.allocUnsafeSlow(this.roomBytes));
    idleBytes -= this.roomBytes;
    return kept;
  }

  #make(memory: Buffer): Room {
    const room = { memory, rooms: this, takenBytes: 0, returnedBytes: 0 };
    roomOf.set(memory.buffer, room);
    return room;
  }

  letGo(room: Room): void {
    if (isCommon(room.memory)) this.#free.push(room);
    else if (idleBytes + this.roomBytes <= LIMITS.idlePayloadBytesMax) {
      idleBytes += this.roomBytes;
      this.#freeElsewhere.push(room);
    } else {
      roomOf.delete(room.memory.buffer);
      freeNow(room.memory);
    }
  }
}

const bodyRooms = new Rooms(LIMITS.bodyRoomBytes, LIMITS.commonBodyBytesMax);
const copyRooms = new Rooms(LIMITS.copyRoomBytes, LIMITS.commonCopyBytesMax);
const chunkRooms = new Rooms(LIMITS.chunkBytes, LIMITS.commonChunkBytesMax);
const readRooms = new Rooms(LIMITS.extentReadBytes, LIMITS.commonReadBytesMax);

/** Where copies of bodies go, and how much of it they fill. */
let current: Room | undefined;
let filledBytes = 0;
let lentRooms = 0;

/**
 * A room for a body that comes in large pieces. It is chosen before the next read and filled by it, however much later
 * that is: so it belongs to one body, and when too many have one, others read elsewhere and copy. What a body did not
 * use of it is handed to `returnBodyRoom`.
 */
export function lendBodyRoom(): Buffer | undefined {
  if (lentRooms >= LIMITS.bodyRoomsMax) return undefined;
  lentRooms++;
  return bodyRooms.take(LIMITS.bodyRoomBytes).memory;
}

export function returnBodyRoom(rest: Buffer): void {
  lentRooms--;
  giveBack(rest);
}

/** A copy of a large part of a body. */
export function copyForBody(bytes: Buffer): Buffer {
  if (bytes.length > LIMITS.copyRoomBytes) return Buffer.from(bytes);
  if (current === undefined || LIMITS.copyRoomBytes - filledBytes < bytes.length) {
    const former = current;
    current = copyRooms.take(0);
    filledBytes = 0;
    if (former !== undefined) letGoIfDone(former);
  }
  const from = filledBytes;
  filledBytes += bytes.length;
  current.takenBytes += bytes.length;
  const copy = current.memory.subarray(from, filledBytes);
  copyInto(copy, bytes, 0);
  return copy;
}

/** For one read from the disk. What would leave more than half of a room empty has memory of its own. */
export function memoryForRead(length: number): Buffer {
  const rooms = length <= LIMITS.chunkBytes ? chunkRooms : readRooms;
  if (length > rooms.roomBytes || length < rooms.roomBytes / 2) return Buffer.allocUnsafeSlow(length);
  return rooms.take(length).memory.subarray(0, length);
}

/** Whether bytes lie in a room, which is theirs alone until they are given back. Other memory may be anybody's. */
export function isInRoom(bytes: Uint8Array): boolean {
  return roomOf.has(bytes.buffer);
}

/** The bytes have one more who gives them back. False for memory that is no room's. */
export function hold(bytes: Uint8Array): boolean {
  const room = roomOf.get(bytes.buffer);
  if (room === undefined) return false;
  room.takenBytes += bytes.length;
  return true;
}

/** Nobody will look at these bytes again. Once for each byte that was taken or held; other memory is left alone. */
export function giveBack(bytes: Uint8Array): void {
  const room = roomOf.get(bytes.buffer);
  if (room === undefined || bytes.length === 0) return;
  room.returnedBytes += bytes.length;
  if (room !== current) letGoIfDone(room);
}

function letGoIfDone(room: Room): void {
  if (room.returnedBytes === room.takenBytes) room.rooms.letGo(room);
}
