import { struct, u8, u16, u32 } from "./layout.ts";
import { refuse, STATUS } from "./status.ts";

/**
 * Lists of extended attributes ([MS-FSCC] 2.4.15): FILE_FULL_EA_INFORMATION, which SET_INFO, QUERY_INFO and the
 * context ExtA of CREATE carry, and FILE_GET_EA_INFORMATION, the names that a QUERY_INFO asks for. Elements lie on
 * boundaries of 4 bytes, each with the distance to the next one, and their names end with a zero byte.
 */
export interface ExtendedAttribute {
  /** ASCII; it compares without regard to case. */
  readonly name: string;
  /** Empty: it is to be removed, or was asked for and is not there. */
  readonly value: Buffer;
  /** FILE_NEED_EA: the file means something else to those who do not know the attribute. */
  readonly isNeeded: boolean;
}

/** What the flags of a QUERY_INFO for them say. */
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

/** What a name consists of: ASCII without control characters and without what means something in a path. */
const NAME = /^[^\x00-\x1f"*+,/:;<=>?[\\\]|\x80-\uffff]+$/;

const aligned = (bytes: number): number => (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
const fullBytes = ({ name, value }: ExtendedAttribute): number =>
  fullHead.bytes + name.length + 1 + value.length;

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

/** As many as fit, each whole, from the first on. */
export function encodeFullEas(
  eas: readonly ExtendedAttribute[],
  bytesMax: number,
): { readonly data: Buffer; readonly count: number } {
  let end = 0;
  let count = 0;
  for (const ea of eas) {
    const next = aligned(end) + fullBytes(ea);
    if (next > bytesMax) break;
    end = next;
    count++;
  }
  const data = Buffer.alloc(end);
  let at = 0;
  for (const [index, ea] of eas.slice(0, count).entries()) {
    const bytes = fullBytes(ea);
    const { name, value } = ea;
    const next = index === count - 1 ? 0 : aligned(bytes);
    const flags = ea.isNeeded ? NEED_EA : 0;
    data.set(fullHead.encode({ next, flags, nameBytes: name.length, valueBytes: value.length }), at);
    data.latin1Write(name, at + fullHead.bytes);
    data.set(value, at + fullHead.bytes + name.length + 1);
    at += next;
  }
  return { data, count };
}

export function decodeGetEas(data: Buffer): string[] {
  return decodeList(data, (element) => {
    const { next, nameBytes } = getHead.decode(element);
    const value = nameAt(element, getHead.bytes, nameBytes);
    return { value, next, end: getHead.bytes + nameBytes + 1 };
  });
}

export function encodeGetEas(names: readonly string[]): Buffer {
  return Buffer.concat(
    names.map((name, index) => {
      const bytes = getHead.bytes + name.length + 1;
      const isLast = index === names.length - 1;
      const to = Buffer.alloc(isLast ? bytes : aligned(bytes));
      to.set(getHead.encode({ next: isLast ? 0 : to.length, nameBytes: name.length }));
      to.latin1Write(name, getHead.bytes);
      return to;
    }),
  );
}

/** One after the other, until an element says that none follows. What comes after that one is not looked at. */
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
