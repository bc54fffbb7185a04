import { encodeChain, struct, u8, u16, u32 } from "./layout.ts";
import { refuse, STATUS } from "./status.ts";

/**
 * Lists of extended attributes ([MS-FSCC] 2.4.15): FILE_FULL_EA_INFORMATION in SET_INFO, QUERY_INFO and the
 * context ExtA of CREATE, and FILE_GET_EA_INFORMATION, the names that a QUERY_INFO requests. Names end with a
 * zero byte.
 */
export interface ExtendedAttribute {
  /** ASCII, case-insensitive. */
  readonly name: string;
  /** Empty in a request to remove the attribute, and in a response when it does not exist. */
  readonly value: Buffer;
  /** FILE_NEED_EA: a client that does not understand the attribute cannot interpret the file. */
  readonly isNeeded: boolean;
}

/** Flags of a QUERY_INFO for extended attributes. */
export const EA_FLAG = { RESTART_SCAN: 1, RETURN_SINGLE_ENTRY: 2, INDEX_SPECIFIED: 4 } as const;

const NEED_EA = 0x80;
const ALIGNMENT = 4;
const INCONSISTENT = STATUS.EA_LIST_INCONSISTENT;

const fullHead = struct(
  8,
  { next: u32(0), flags: u8(4), nameBytes: u8(5), valueBytes: u16(6) },
  INCONSISTENT,
);
const getHead = struct(5, { next: u32(0), nameBytes: u8(4) }, INCONSISTENT);

/** A name is ASCII without control characters and path syntax. */
const NAME = /^[^\x00-\x1f"*+,/:;<=>?[\\\]|\x80-\uffff]+$/;

/** Values are views of `data`. */
export function decodeFullEas(data: Buffer): ExtendedAttribute[] {
  return decodeList(data, (element) => {
    const { next, flags, nameBytes, valueBytes } = fullHead.decode(element);
    const name = nameAt(element, fullHead.bytes, nameBytes);
    const valueAt = fullHead.bytes + nameBytes + 1;
    const end = valueAt + valueBytes;
    if (end > element.length) throw refuse(INCONSISTENT);
    if ((flags & ~NEED_EA) !== 0) throw refuse(STATUS.INVALID_EA_NAME);
    return { value: { name, value: element.subarray(valueAt, end), isNeeded: flags !== 0 }, next, end };
  });
}

/** As many as fit whole, from the first on. */
export function encodeFullEas(
  eas: readonly ExtendedAttribute[],
  bytesMax: number,
): { readonly data: Buffer; readonly count: number } {
  const elements: Buffer[] = [];
  let end = 0;
  for (const { name, value, isNeeded } of eas) {
    const flags = isNeeded ? NEED_EA : 0;
    const head = fullHead.encode({ next: 0, flags, nameBytes: name.length, valueBytes: value.length });
    const element = Buffer.concat([head, Buffer.from(`${name}\0`, "latin1"), value]);
    end = ((end + ALIGNMENT - 1) & -ALIGNMENT) + element.length;
    if (end > bytesMax) break;
    elements.push(element);
  }
  return { data: encodeChain(elements, ALIGNMENT), count: elements.length };
}

export function decodeGetEas(data: Buffer): string[] {
  return decodeList(data, (element) => {
    const { next, nameBytes } = getHead.decode(element);
    const value = nameAt(element, getHead.bytes, nameBytes);
    return { value, next, end: getHead.bytes + nameBytes + 1 };
  });
}

export function encodeGetEas(names: readonly string[]): Buffer {
  const elements = names.map((name) => {
    const head = getHead.encode({ next: 0, nameBytes: name.length });
    return Buffer.concat([head, Buffer.from(`${name}\0`, "latin1")]);
  });
  return encodeChain(elements, ALIGNMENT);
}

/** Elements up to the last one. Bytes after that one are ignored. */
function decodeList<T>(
  data: Buffer,
  decode: (element: Buffer) => { readonly value: T; readonly next: number; readonly end: number },
): T[] {
  const values: T[] = [];
  for (let rest = data; ; ) {
    const { value, next, end } = decode(rest);
    values.push(value);
    if (next === 0) return values;
    if (next % ALIGNMENT !== 0 || next < end || next >= rest.length) throw refuse(INCONSISTENT);
    rest = rest.subarray(next);
  }
}

function nameAt(element: Buffer, at: number, bytes: number): string {
  if (element[at + bytes] !== 0) throw refuse(INCONSISTENT);
  const name = element.latin1Slice(at, at + bytes);
  if (!NAME.test(name)) throw refuse(STATUS.INVALID_EA_NAME);
  return name;
}
