import { struct, u8, u32, u64 } from "./layout.ts";
import { refuse, STATUS } from "./status.ts";
import { textOf, utf16 } from "./text.ts";

/** Information classes of files, as QUERY_INFO and SET_INFO carry them ([MS-FSCC] 2.4). */
export const FILE_CLASS = {
  DIRECTORY: 1,
  FULL_DIRECTORY: 2,
  BOTH_DIRECTORY: 3,
  BASIC: 4,
  STANDARD: 5,
  INTERNAL: 6,
  EA: 7,
  ACCESS: 8,
  NAME: 9,
  RENAME: 10,
  LINK: 11,
  NAMES: 12,
  DISPOSITION: 13,
  POSITION: 14,
  FULL_EA: 15,
  MODE: 16,
  ALIGNMENT: 17,
  ALL: 18,
  ALLOCATION: 19,
  END_OF_FILE: 20,
  ALTERNATE_NAME: 21,
  STREAM: 22,
  COMPRESSION: 28,
  NETWORK_OPEN: 34,
  ATTRIBUTE_TAG: 35,
  ID_BOTH_DIRECTORY: 37,
  ID_FULL_DIRECTORY: 38,
  VALID_DATA_LENGTH: 39,
  SHORT_NAME: 40,
  HARD_LINK: 46,
  NORMALIZED_NAME: 48,
  ID: 59,
  ID_EXTD_DIRECTORY: 60,
  ID_EXTD_BOTH_DIRECTORY: 63,
  DISPOSITION_EX: 64,
  RENAME_EX: 65,
} as const;

/** Samba answers a short buffer of SET_INFO like this, and smbtorture asks for it. */
const SHORT = STATUS.INFO_LENGTH_MISMATCH;

export const basicInformation = struct(
  40,
  {
    creationTime: u64(0),
    lastAccessTime: u64(8),
    lastWriteTime: u64(16),
    changeTime: u64(24),
    attributes: u32(32),
  },
  SHORT,
);

export const standardInformation = struct(
  24,
  {
    allocationSize: u64(0),
    endOfFile: u64(8),
    numberOfLinks: u32(16),
    deletePending: u8(20),
    directory: u8(21),
  },
  SHORT,
);

export const networkOpenInformation = struct(
  56,
  {
    creationTime: u64(0),
    lastAccessTime: u64(8),
    lastWriteTime: u64(16),
    changeTime: u64(24),
    allocationSize: u64(32),
    endOfFile: u64(40),
    attributes: u32(48),
  },
  SHORT,
);

export const attributeTagInformation = struct(8, { attributes: u32(0), reparseTag: u32(4) }, SHORT);
export const compressionInformation = struct(16, { size: u64(0) }, SHORT);
/** Internal, Position, Allocation, EndOfFile and ValidDataLength. */
export const wholeInformation = struct(8, { value: u64(0) }, SHORT);
/** Ea, Access, Mode, Alignment and DispositionEx. */
export const wordInformation = struct(4, { value: u32(0) }, SHORT);
export const dispositionInformation = struct(1, { deletePending: u8(0) }, SHORT);

/** Name, NormalizedName and the end of All. */
export function encodeNameInformation(name: string): Buffer {
  const text = utf16(name);
  const to = Buffer.alloc(4 + text.length);
  to.writeUInt32LE(text.length, 0);
  to.set(text, 4);
  return to;
}

export interface StreamInformation {
  /** Empty: the content itself. */
  readonly name: string;
  readonly size: number;
  readonly allocationSize: number;
}

const STREAM_FIXED_BYTES = 24;

/** Streams one after the other, each on a boundary of 8 bytes. */
export function encodeStreamInformation(streams: readonly StreamInformation[]): Buffer {
  const parts = streams.map(({ name, size, allocationSize }, i) => {
    const text = utf16(`:${name}:$DATA`);
    const length = STREAM_FIXED_BYTES + text.length;
    const isLast = i === streams.length - 1;
    const to = Buffer.alloc(isLast ? length : (length + 7) & ~7);
    to.writeUInt32LE(isLast ? 0 : to.length, 0);
    to.writeUInt32LE(text.length, 4);
    to.writeBigUInt64LE(BigInt(size), 8);
    to.writeBigUInt64LE(BigInt(allocationSize), 16);
    to.set(text, STREAM_FIXED_BYTES);
    return to;
  });
  return Buffer.concat(parts);
}

export interface RenameInformation {
  readonly replaceIfExists: boolean;
  readonly rootDirectory: bigint;
  readonly name: string;
}

const renameHead = struct(20, { replaceIfExists: u8(0), rootDirectory: u64(8), nameLength: u32(16) }, SHORT);

export function decodeRename(data: Buffer): RenameInformation {
  const { replaceIfExists, rootDirectory, nameLength } = renameHead.decode(data);
  if (nameLength === 0 || renameHead.bytes + nameLength > data.length) throw refuse(STATUS.INVALID_PARAMETER);
  const name = textOf(data.subarray(renameHead.bytes, renameHead.bytes + nameLength));
  return { replaceIfExists: replaceIfExists !== 0, rootDirectory, name };
}

export function encodeRename({ replaceIfExists, rootDirectory, name }: RenameInformation): Buffer {
  const text = utf16(name);
  const head = renameHead.encode({
    replaceIfExists: replaceIfExists ? 1 : 0,
    rootDirectory,
    nameLength: text.length,
  });
  return Buffer.concat([head, text]);
}
