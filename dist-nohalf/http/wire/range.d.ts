/**
 * Parts of a resource. A client names bytes from and to, both included; `to` may be left open. What cannot be
 * read as one such range (suffixes, several ranges, other units) is ignored and the whole is sent, as the
 * service does; x-ms-range wins over Range, because some client libraries cannot set Range.
 */
export interface ByteRange {
    readonly from: number;
    /** Inclusive; undefined for "to the end". */
    readonly to: number | undefined;
}
/** A range that exists: it has at least one byte and ends inside the resource. */
export interface Extent {
    readonly from: number;
    readonly to: number;
    readonly length: number;
}
type HeaderValues = Readonly<Record<string, string | undefined>>;
export declare function parseRange(headers: HeaderValues): ByteRange | undefined;
/** For writes, where both ends must be given and a range that cannot be read is the client's error. */
export declare function requireRange(headers: HeaderValues): Extent;
/** What the range means for a resource of that size. Beyond its end, or of an empty one, there is nothing: 416. */
export declare function resolveRange(range: ByteRange, size: number): Extent;
export declare function printContentRange({ from, to }: Extent, size: number): string;
/**
 * Which digest of the range itself the client asked for (x-ms-range-get-content-md5 or -crc64). Only along with
 * a range, of at most 4 MiB: the server has to read it all before the first header goes out.
 */
export declare function rangeDigestOf(headers: HeaderValues, extent: Extent | undefined): "md5" | "crc64" | undefined;
export {};
