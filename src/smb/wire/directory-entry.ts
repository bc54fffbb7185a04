import { FILE_CLASS } from "./file-information.ts";
import { align8 } from "./layout.ts";
import { refuse, STATUS } from "./status.ts";

/** An entry of QUERY_DIRECTORY ([MS-FSCC] 2.4). Each class adds fields between a common head and the name. */
export interface DirectoryEntry {
  readonly name: string;
  readonly fileId: bigint;
  readonly creationTime: bigint;
  readonly lastAccessTime: bigint;
  readonly lastWriteTime: bigint;
  readonly changeTime: bigint;
  readonly endOfFile: bigint;
  readonly allocationSize: bigint;
  readonly attributes: number;
  readonly eaSize: number;
}

interface EntryLayout {
  readonly nameAt: number;
  readonly nameLengthAt: number;
  readonly fileIdAt: number | undefined;
  /** FileNames has only the name. */
  readonly hasTimes: boolean;
  readonly hasEaSize: boolean;
}

const EA_SIZE_AT = 64;

const withTimes = (nameAt: number, fileIdAt?: number): EntryLayout => ({
  nameAt,
  nameLengthAt: 60,
  fileIdAt,
  hasTimes: true,
  hasEaSize: nameAt > EA_SIZE_AT,
});

const LAYOUTS: ReadonlyMap<number, EntryLayout> = new Map([
  [FILE_CLASS.DIRECTORY, withTimes(64)],
  [FILE_CLASS.FULL_DIRECTORY, withTimes(68)],
  [FILE_CLASS.BOTH_DIRECTORY, withTimes(94)],
  [FILE_CLASS.NAMES, { nameAt: 12, nameLengthAt: 8, fileIdAt: undefined, hasTimes: false, hasEaSize: false }],
  [FILE_CLASS.ID_BOTH_DIRECTORY, withTimes(104, 96)],
  [FILE_CLASS.ID_FULL_DIRECTORY, withTimes(80, 72)],
  [FILE_CLASS.ID_EXTD_DIRECTORY, withTimes(88, 72)],
  [FILE_CLASS.ID_EXTD_BOTH_DIRECTORY, withTimes(114, 72)],
]);

export function directoryLayout(informationClass: number): EntryLayout {
  const layout = LAYOUTS.get(informationClass);
  if (layout === undefined) throw refuse(STATUS.INVALID_INFO_CLASS);
  return layout;
}

/** Clients request megabytes and mostly get less, so a page starts small and grows. */
const PAGE_BYTES = 64 * 1_024;

/** Fills one response with entries, each whole and aligned to 8 bytes. */
export class DirectoryPage {
  readonly #layout: EntryLayout;
  readonly #bytesMax: number;
  #buffer: Buffer;
  #end = 0;
  #lastAt: number | undefined;

  constructor(informationClass: number, bytesMax: number) {
    this.#layout = directoryLayout(informationClass);
    this.#bytesMax = bytesMax;
    this.#buffer = Buffer.alloc(Math.min(bytesMax, PAGE_BYTES));
  }

  get isEmpty(): boolean {
    return this.#lastAt === undefined;
  }

  /** False when the entry does not fit. */
  add(entry: DirectoryEntry): boolean {
    const { nameAt, nameLengthAt, fileIdAt, hasTimes, hasEaSize } = this.#layout;
    const at = align8(this.#end);
    const nameBytes = entry.name.length * 2;
    const end = at + nameAt + nameBytes;
    if (end > this.#bytesMax) return false;
    if (end > this.#buffer.length) this.#grow(end);
    const to = this.#buffer;
    if (this.#lastAt !== undefined) to.writeUInt32LE(at - this.#lastAt, this.#lastAt);
    if (hasTimes) {
      to.writeBigUInt64LE(entry.creationTime, at + 8);
      to.writeBigUInt64LE(entry.lastAccessTime, at + 16);
      to.writeBigUInt64LE(entry.lastWriteTime, at + 24);
      to.writeBigUInt64LE(entry.changeTime, at + 32);
      to.writeBigUInt64LE(entry.endOfFile, at + 40);
      to.writeBigUInt64LE(entry.allocationSize, at + 48);
      to.writeUInt32LE(entry.attributes, at + 56);
    }
    to.writeUInt32LE(nameBytes, at + nameLengthAt);
    if (hasEaSize) to.writeUInt32LE(entry.eaSize, at + EA_SIZE_AT);
    if (fileIdAt !== undefined) to.writeBigUInt64LE(entry.fileId, at + fileIdAt);
    to.write(entry.name, at + nameAt, "utf16le");
    this.#lastAt = at;
    this.#end = end;
    return true;
  }

  #grow(end: number): void {
    const larger = Buffer.alloc(Math.min(this.#bytesMax, Math.max(end, this.#buffer.length * 4)));
    larger.set(this.#buffer.subarray(0, this.#end));
    this.#buffer = larger;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#end);
  }
}

export function decodeDirectoryEntries(informationClass: number, data: Buffer): DirectoryEntry[] {
  const { nameAt, nameLengthAt, fileIdAt, hasTimes, hasEaSize } = directoryLayout(informationClass);
  const entries: DirectoryEntry[] = [];
  for (let at = 0; at + nameAt <= data.length; ) {
    const whole = (offset: number): bigint => (hasTimes ? data.readBigUInt64LE(at + offset) : 0n);
    const next = data.readUInt32LE(at);
    const nameBytes = data.readUInt32LE(at + nameLengthAt);
    if (at + nameAt + nameBytes > data.length) throw refuse(STATUS.INVALID_PARAMETER);
    entries.push({
      name: data.toString("utf16le", at + nameAt, at + nameAt + nameBytes),
      fileId: fileIdAt === undefined ? 0n : data.readBigUInt64LE(at + fileIdAt),
      creationTime: whole(8),
      lastAccessTime: whole(16),
      lastWriteTime: whole(24),
      changeTime: whole(32),
      endOfFile: whole(40),
      allocationSize: whole(48),
      attributes: hasTimes ? data.readUInt32LE(at + 56) : 0,
      eaSize: hasEaSize ? data.readUInt32LE(at + EA_SIZE_AT) : 0,
    });
    if (next < nameAt) break;
    at += next;
  }
  return entries;
}
