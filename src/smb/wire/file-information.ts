import { encodeChain, encodeWithText, fileTimes, struct, u8, u32, u64 } from "./layout.ts";
import { refuse, STATUS } from "./status.ts";
import { textOf } from "./text.ts";

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
} as const;

/** The status of a SET_INFO buffer that is too short, as Samba answers and smbtorture expects. */
const SHORT = STATUS.INFO_LENGTH_MISMATCH;

export const basicInformation = struct(40, { ...fileTimes(0), attributes: u32(32) }, SHORT);

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
    ...fileTimes(0),
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

const nameHead = struct(4, { textBytes: u32(0) });

/** Name, NormalizedName and the end of All. */
export const encodeNameInformation = (name: string): Buffer => encodeWithText(nameHead, {}, name);

export interface StreamInformation {
  /** Empty for the content itself. */
  readonly name: string;
  readonly size: number;
  readonly allocationSize: number;
}

const streamHead = struct(24, { textBytes: u32(4), size: u64(8), allocationSize: u64(16) });

export function encodeStreamInformation(streams: readonly StreamInformation[]): Buffer {
  const elements = streams.map(({ name, size, allocationSize }) => {
    const sizes = { size: BigInt(size), allocationSize: BigInt(allocationSize) };
    return encodeWithText(streamHead, sizes, `:${name}:$DATA`);
  });
  return encodeChain(elements, 8);
}

export interface RenameInformation {
  readonly replaceIfExists: boolean;
  readonly rootDirectory: bigint;
  readonly name: string;
}

const renameHead = struct(20, { replaceIfExists: u8(0), rootDirectory: u64(8), textBytes: u32(16) }, SHORT);

export function decodeRename(data: Buffer): RenameInformation {
  const { replaceIfExists, rootDirectory, textBytes } = renameHead.decode(data);
  if (textBytes === 0 || renameHead.bytes + textBytes > data.length) throw refuse(STATUS.INVALID_PARAMETER);
  const name = textOf(data.subarray(renameHead.bytes, renameHead.bytes + textBytes));
  return { replaceIfExists: replaceIfExists !== 0, rootDirectory, name };
}

export function encodeRename({ replaceIfExists, rootDirectory, name }: RenameInformation): Buffer {
  return encodeWithText(renameHead, { replaceIfExists: replaceIfExists ? 1 : 0, rootDirectory }, name);
}
