import { refuse, STATUS } from "./status.ts";

/**
 * Structures as tables. A message is written down as the protocol's documents do: each field with its offset in the
 * body, each variable part with the fields that say where it lies. From one table come a decoder that looks at no
 * byte outside the PDU and an encoder that is its inverse.
 *
 * Offsets on the wire count from the SMB2 header, which stands 64 bytes before the body.
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

/** Bytes of a fixed count. The decoder gives a view, not a copy. */
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

/** All ones: the handle of the request before, or none where none is needed. */
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

/** A variable part: where it starts, counted from the header, and how many bytes it has. */
export interface Part {
  readonly offset: Field<number>;
  readonly length: Field<number>;
}

type Fields = Readonly<Record<string, Field<unknown>>>;
type Parts = Readonly<Record<string, Part>>;
export type Values<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };
export type Buffers<P extends Parts> = { readonly [K in keyof P]: Buffer };

export interface Struct<V> {
  readonly bytes: number;
  /** The table itself, for those who walk over it. */
  readonly fields: Fields;
  decode(from: Buffer, at?: number): V;
  encode(value: V): Buffer;
}

/** A structure of fixed size that has no size field of its own. Too few bytes are refused with `tooShort`. */
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

export type Message<F extends Fields, P extends Parts> = Values<F> & Buffers<P>;
/** What a message of this table holds. */
export type Decoded<T> = T extends { decode(pdu: Buffer): infer V } ? V : never;

export interface Codec<V> {
  readonly size: number;
  readonly fields: Fields;
  readonly parts: Parts;
  /** `pdu` starts with the SMB2 header. Everything wrong with the body is INVALID_PARAMETER. */
  decode(pdu: Buffer): V;
  /** The body alone, as it follows the header. */
  encode(value: V): Buffer;
}

/**
 * A message body. `size` is its StructureSize: odd when a variable part follows, and then one more than the fixed
 * part has bytes.
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
      // Every message comes here: a loop that takes entries apart costs more than the fields.
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
        if (length > 0) end = (end + 7) & ~7;
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

/** StructureSize is there and right, and the whole fixed part is. */
export function checkSize(pdu: Buffer, size: number): void {
  if (pdu.length < HEADER_BYTES + (size & ~1) || pdu.readUInt16LE(HEADER_BYTES) !== size)
    throw refuse(STATUS.INVALID_PARAMETER);
}

const NOTHING = Buffer.alloc(0);

export function partAt(
  pdu: Buffer,
  { start, bytes, min }: { readonly start: number; readonly bytes: number; readonly min: number },
): Buffer {
  if (bytes === 0) return NOTHING;
  if (start < min || start + bytes > pdu.length) throw refuse(STATUS.INVALID_PARAMETER);
  return pdu.subarray(start, start + bytes);
}

/** Rounds up to the next multiple of 8. */
export const align8 = (count: number): number => (count + 7) & ~7;
