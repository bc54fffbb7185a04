import { LIMITS } from "../../base/limits.ts";
import { badHeader, Refusal } from "../../base/refusals.ts";

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

// Twenty digits hold every 64-bit number; "to the end" is written as 18446744073709551615 by some clients.
const RANGE = /^bytes=(\d{1,20})-(\d{1,20})?$/;

export function parseRange(headers: HeaderValues): ByteRange | undefined {
  const text = headers["x-ms-range"] ?? headers.range;
  return text === undefined ? undefined : readRange(text);
}

function readRange(text: string): ByteRange | undefined {
  const parts = RANGE.exec(text.trim());
  if (parts === null) return undefined;
  const from = Number(parts[1]);
  const to = parts[2] === undefined ? undefined : Number(parts[2]);
  return to !== undefined && to < from ? undefined : { from, to };
}

/** For writes, where both ends must be given and a range that cannot be read is the client's error. */
export function requireRange(headers: HeaderValues): Extent {
  const name = headers["x-ms-range"] !== undefined || headers.range === undefined ? "x-ms-range" : "Range";
  const text = headers["x-ms-range"] ?? headers.range;
  if (text === undefined)
    throw new Refusal("MissingRequiredHeader", { elements: { HeaderName: "x-ms-range" } });
  const range = readRange(text);
  if (range?.to === undefined || !Number.isSafeInteger(range.to)) throw badHeader(name, text);
  return { from: range.from, to: range.to, length: range.to - range.from + 1 };
}

/**
 * What the range means for a resource of that size. Beyond its end, or of an empty one, there is nothing:
 * 416.
 */
export function resolveRange(range: ByteRange, size: number): Extent {
  if (range.from >= size)
    throw new Refusal("InvalidRange", { headers: { "Content-Range": `bytes */${size}` } });
  const to = range.to === undefined || range.to >= size ? size - 1 : range.to;
  return { from: range.from, to, length: to - range.from + 1 };
}

export function printContentRange({ from, to }: Extent, size: number): string {
  return `bytes ${from}-${to}/${size}`;
}

/**
 * Which digest of the range itself the client asked for (x-ms-range-get-content-md5 or -crc64). Only along
 * with a range, of at most 4 MiB: the server has to read it all before the first header goes out.
 */
export function rangeDigestOf(
  headers: HeaderValues,
  extent: Extent | undefined,
): "md5" | "crc64" | undefined {
  const md5 = readFlag(headers, "x-ms-range-get-content-md5");
  const crc64 = readFlag(headers, "x-ms-range-get-content-crc64");
  if (!md5 && !crc64) return undefined;
  const name = md5 ? "x-ms-range-get-content-md5" : "x-ms-range-get-content-crc64";
  if (extent === undefined || (md5 && crc64)) throw badHeader(name, "true");
  if (extent.length > LIMITS.rangeDigestBytesMax)
    throw new Refusal("OutOfRangeInput", { elements: { HeaderName: name, HeaderValue: "true" } });
  return md5 ? "md5" : "crc64";
}

function readFlag(headers: HeaderValues, name: string): boolean {
  const text = headers[name];
  if (text === undefined) return false;
  const flag = text.toLowerCase();
  if (flag !== "true" && flag !== "false") throw badHeader(name, text);
  return flag === "true";
}
