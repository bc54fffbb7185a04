/**
 * Structures as tables. A message is written down as the protocol's documents do: each field with its offset in the
 * body, each variable part with the fields that say where it lies. From one table come a decoder that looks at no
 * byte outside the PDU and an encoder that is its inverse.
 *
 * Offsets on the wire count from the SMB2 header, which stands 64 bytes before the body.
 */
export declare const HEADER_BYTES = 64;
export interface Field<T> {
    readonly at: number;
    readonly bytes: number;
    read(from: Buffer, at: number): T;
    write(to: Buffer, at: number, value: T): void;
}
export declare const u8: (at: number) => Field<number>;
export declare const u16: (at: number) => Field<number>;
export declare const u32: (at: number) => Field<number>;
export declare const u64: (at: number) => Field<bigint>;
/** Bytes of a fixed count. The decoder gives a view, not a copy. */
export declare const raw: (at: number, bytes: number) => Field<Buffer>;
export interface FileId {
    readonly persistent: bigint;
    readonly volatile: bigint;
}
export declare const fileId: (at: number) => Field<FileId>;
/** A variable part: where it starts, counted from the header, and how many bytes it has. */
export interface Part {
    readonly offset: Field<number>;
    readonly length: Field<number>;
}
type Fields = Readonly<Record<string, Field<unknown>>>;
type Parts = Readonly<Record<string, Part>>;
export type Values<F extends Fields> = {
    readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never;
};
export type Buffers<P extends Parts> = {
    readonly [K in keyof P]: Buffer;
};
export interface Struct<V> {
    readonly bytes: number;
    /** The table itself, for those who walk over it. */
    readonly fields: Fields;
    decode(from: Buffer, at?: number): V;
    encode(value: V): Buffer;
}
/** A structure of fixed size that has no size field of its own. Too few bytes are refused with `tooShort`. */
export declare function struct<F extends Fields>(bytes: number, fields: F, tooShort?: number): Struct<Values<F>>;
export type Message<F extends Fields, P extends Parts> = Values<F> & Buffers<P>;
/** What a message of this table holds. */
export type Decoded<T> = T extends {
    decode(pdu: Buffer): infer V;
} ? V : never;
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
export declare function message<F extends Fields, P extends Parts = Record<never, never>>(size: number, fields: F, parts?: P): Codec<Message<F, P>>;
/** StructureSize is there and right, and the whole fixed part is. */
export declare function checkSize(pdu: Buffer, size: number): void;
export declare function partAt(pdu: Buffer, { start, bytes, min }: {
    readonly start: number;
    readonly bytes: number;
    readonly min: number;
}): Buffer;
/** Rounds up to the next multiple of 8. */
export declare const align8: (count: number) => number;
export {};
