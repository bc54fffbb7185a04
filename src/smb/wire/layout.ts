import { refuse, STATUS } from "./status.ts";

/**
 * Structures as tables, in the form of the protocol's documents: each field with its offset in the body, each
 * variable part with the fields that locate it. One table gives a decoder, which reads no byte outside the
 * PDU, and an encoder, which is its inverse.
 *
 * Offsets on the wire count from the SMB2 header, which is 64 bytes before the body.
 */
export const HEADER_BYTES = 64;

export interface Field<T> {
  readonly at: number;
  readonly bytes: number;
  read(from: Buffer, at: number): T;
  write(to: Buffer, at: number, value: T): void;
}

export const u8 = (at: number): Field<number> => ({
  at,
  bytes: 1,
  read: (from, offset) => from[offset]!,
  write: (to, offset, value) => void to.writeUInt8(value, offset),
});

export const u16 = (at: number): Field<number> => ({
  at,
  bytes: 2,
  read: (from, offset) => from[offset]! | (from[offset + 1]! << 8),
  write: (to, offset, value) => void to.writeUInt16LE(value, offset),
});

export const u32 = (at: number): Field<number> => ({
  at,
  bytes: 4,
  read: (from, offset) => from.readUInt32LE(offset),
  write: (to, offset, value) => void to.writeUInt32LE(value, offset),
});

export const u64 = (at: number): Field<bigint> => ({
  at,
  bytes: 8,
  read: (from, offset) => from.readBigUInt64LE(offset),
  write: (to, offset, value) => void to.writeBigUInt64LE(value, offset),
});

/** A fixed number of bytes. The decoder returns a view, not a copy. */
export const raw = (at: number, bytes: number): Field<Buffer> => ({
  at,
  bytes,
  read: (from, offset) => from.subarray(offset, offset + bytes),
  write: (to, offset, value) => void to.set(value.subarray(0, bytes), offset),
});

export interface FileId {
  readonly persistent: bigint;
  readonly volatile: bigint;
}

const ALL_ONES = 0xffff_ffff_ffff_ffffn;

/** All ones: the handle of the previous request in a compound, or no handle. */
export const isNoFile = ({ persistent, volatile }: FileId): boolean =>
  persistent === ALL_ONES && volatile === ALL_ONES;

export const fileId = (at: number): Field<FileId> => ({
  at,
  bytes: 16,
  read: (from, offset) => ({
    persistent: from.readBigUInt64LE(offset),
    volatile: from.readBigUInt64LE(offset + 8),
  }),
  write: (to, offset, value) => {
    to.writeBigUInt64LE(value.persistent, offset);
    to.writeBigUInt64LE(value.volatile, offset + 8);
  },
});

/** The four times of a file, adjacent in every structure that has them. */
export const fileTimes = (at: number) => ({
  creationTime: u64(at),
  lastAccessTime: u64(at + 8),
  lastWriteTime: u64(at + 16),
  changeTime: u64(at + 24),
});

/** A variable part: its offset from the header and its length. */
interface Part {
  readonly offset: Field<number>;
  readonly length: Field<number>;
}

type Fields = Readonly<Record<string, Field<unknown>>>;
type Parts = Readonly<Record<string, Part>>;
type Values<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };
type Buffers<P extends Parts> = { readonly [K in keyof P]: Buffer };

export interface Struct<V> {
  readonly bytes: number;
  /** The table itself, for tests that walk over it. */
  readonly fields: Fields;
  decode(from: Buffer, at?: number): V;
  encode(value: V): Buffer;
}

/** A structure of fixed size without a size field. Too few bytes are refused with `tooShort`. */
export function struct<F extends Fields>(
  bytes: number,
  fields: F,
  tooShort: number = STATUS.INVALID_PARAMETER,
): Struct<Values<F>> {
  const list = Object.entries(fields);
  return {
    bytes,
    fields,
    decode(from, at = 0) {
      if (at < 0 || from.length - at < bytes) throw refuse(tooShort);
      const value: Record<string, unknown> = {};
      for (const [name, field] of list) value[name] = field.read(from, at + field.at);
      return value as Values<F>;
    },
    encode(value) {
      const to = Buffer.alloc(bytes);
      for (const [name, field] of list) field.write(to, field.at, value[name]);
      return to;
    },
  };
}

type Message<F extends Fields, P extends Parts> = Values<F> & Buffers<P>;
/** The type that a table decodes to. */
export type Decoded<T> = T extends { decode(pdu: Buffer): infer V } ? V : never;

export interface Codec<V> {
  readonly size: number;
  readonly fields: Fields;
  readonly parts: Parts;
  /** `pdu` starts with the SMB2 header. A malformed body is INVALID_PARAMETER. */
  decode(pdu: Buffer): V;
  /** The body alone, without the header. */
  encode(value: V): Buffer;
}

/**
 * A message body. `size` is its StructureSize, which is odd, one more than the fixed part, if a variable part
 * follows.
 */
export function message<F extends Fields, P extends Parts = Record<never, never>>(
  size: number,
  fields: F,
  parts: P = {} as P,
): Codec<Message<F, P>> {
  const fixed = size & ~1;
  const names = Object.keys(fields);
  const list = Object.values(fields);
  const partList = Object.entries(parts);
  return {
    size,
    fields,
    parts,
    decode(pdu) {
      checkSize(pdu, size);
      const value: Record<string, unknown> = {};
      // Every message runs this loop, and destructuring entries would cost more than reading the fields.
      for (let i = 0; i < names.length; i++) {
        const field = list[i]!;
        value[names[i]!] = field.read(pdu, HEADER_BYTES + field.at);
      }
      for (const [name, { offset, length }] of partList) {
        const start = offset.read(pdu, HEADER_BYTES + offset.at);
        const bytes = length.read(pdu, HEADER_BYTES + length.at);
        value[name] = partAt(pdu, { start, bytes, min: HEADER_BYTES + fixed });
      }
      return value as Message<F, P>;
    },
    encode(value) {
      const lengths = partList.map(([name]) => (value[name] as Buffer).length);
      const starts: number[] = [];
      let end = fixed;
      for (const length of lengths) {
        if (length > 0) end = align8(end);
        starts.push(length > 0 ? end : 0);
        end += length;
      }
      const to = Buffer.alloc(end);
      to.writeUInt16LE(size, 0);
      for (let i = 0; i < names.length; i++) {
        const field = list[i]!;
        field.write(to, field.at, value[names[i]!]);
      }
      for (const [index, [name, { offset, length }]] of partList.entries()) {
        const start = starts[index]!;
        offset.write(to, offset.at, start === 0 ? 0 : HEADER_BYTES + start);
        length.write(to, length.at, lengths[index]!);
        if (start > 0) to.set(value[name] as Buffer, start);
      }
      return to;
    },
  };
}

/** Checks StructureSize, and that the fixed part is complete. */
export function checkSize(pdu: Buffer, size: number): void {
  if (pdu.length < HEADER_BYTES + (size & ~1) || pdu.readUInt16LE(HEADER_BYTES) !== size)
    throw refuse(STATUS.INVALID_PARAMETER);
}

const EMPTY = Buffer.alloc(0);

function partAt(
  pdu: Buffer,
  { start, bytes, min }: { readonly start: number; readonly bytes: number; readonly min: number },
): Buffer {
  if (bytes === 0) return EMPTY;
  if (start < min || start + bytes > pdu.length) throw refuse(STATUS.INVALID_PARAMETER);
  return pdu.subarray(start, start + bytes);
}

/** Rounds up to the next multiple of 8. */
export const align8 = (count: number): number => (count + 7) & ~7;

/**
 * Elements one after the other, each aligned and starting with the distance to the next one, or 0 in the
 * last.
 */
export function encodeChain(elements: readonly Buffer[], alignment: 4 | 8): Buffer {
  const last = elements.length - 1;
  return Buffer.concat(
    elements.flatMap((element, index) => {
      if (index === last) return [element];
      const padding = Buffer.alloc(-element.length & (alignment - 1));
      element.writeUInt32LE(element.length + padding.length, 0);
      return [element, padding];
    }),
  );
}

/** A fixed head with the length of the UTF-16 text that follows it. */
export function encodeWithText<V>(
  head: Struct<V & { readonly textBytes: number }>,
  value: V,
  text: string,
): Buffer {
  const bytes = Buffer.from(text, "utf16le");
  return Buffer.concat([head.encode({ ...value, textBytes: bytes.length }), bytes]);
}

export function decodeU16List(from: Buffer, at: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => from.readUInt16LE(at + index * 2));
}

export function encodeU16List(values: readonly number[]): Buffer {
  const to = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) to.writeUInt16LE(value, index * 2);
  return to;
}
