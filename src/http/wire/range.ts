import { LIMITS } from "../../base/limits.ts";
import { badHeader, Refusal } from "../../base/refusals.ts";

/**
 * Byte ranges. A client names the first and the last byte; the last one may be left open. A header that is
 * not one such range (suffixes, several ranges, other units) is ignored and the whole is sent, as the service
 * does. x-ms-range outranks Range, because some client libraries cannot set Range.
 */
export interface RequestedRange {
  readonly from: number;
  /** Inclusive; undefined for "to the end". */
  readonly to: number | undefined;
}

/** A range that exists: at least one byte, all of them inside the resource. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
  readonly length: number;
}

type HeaderValues = Readonly<Record<string, string | undefined>>;

// Twenty digits hold every 64-bit number; "to the end" is written as 18446744073709551615 by some clients.
const RANGE = /^bytes=(\d{1,20})-(\d{1,20})?$/;

export function parseRange(headers: HeaderValues): RequestedRange | undefined {
  const text = headers["x-ms-range"] ?? headers.range;
  return text === undefined ? undefined : readRange(text);
}

function readRange(text: string): RequestedRange | undefined {
  const parts = RANGE.exec(text.trim());
  if (parts === null) return undefined;
  const from = Number(parts[1]);
  const to = parts[2] === undefined ? undefined : Number(parts[2]);
  return to !== undefined && to < from ? undefined : { from, to };
}

/** For writes, where both ends are required and an invalid range is refused. */
export function requireRange(headers: HeaderValues): ByteRange {
  const name = headers["x-ms-range"] !== undefined || headers.range === undefined ? "x-ms-range" : "Range";
  const text = headers["x-ms-range"] ?? headers.range;
  if (text === undefined)
    throw new Refusal("MissingRequiredHeader", { elements: { HeaderName: "x-ms-range" } });
  const range = readRange(text);
  if (range?.to === undefined || !Number.isSafeInteger(range.to)) throw badHeader(name, text);
  return { from: range.from, to: range.to, length: range.to - range.from + 1 };
}

/** The bytes of the range that a resource of that size has. None is a refusal, 416. */
export function resolveRange(range: RequestedRange, size: number): ByteRange {
  if (range.from >= size)
    throw new Refusal("InvalidRange", { headers: { "Content-Range": `bytes */${size}` } });
  const to = range.to === undefined || range.to >= size ? size - 1 : range.to;
  return { from: range.from, to, length: to - range.from + 1 };
}

export function printContentRange({ from, to }: ByteRange, size: number): string {
  return `bytes ${from}-${to}/${size}`;
}

/**
 * The digest of the range itself that the client requests (x-ms-range-get-content-md5 or -crc64). Only with a
 * range of at most 4 MiB: the server must read all of it before it sends the first header.
 */
export function rangeDigestOf(
  headers: HeaderValues,
  range: ByteRange | undefined,
): "md5" | "crc64" | undefined {
  const md5 = readFlag(headers, "x-ms-range-get-content-md5");
  const crc64 = readFlag(headers, "x-ms-range-get-content-crc64");
  if (!md5 && !crc64) return undefined;
  const name = md5 ? "x-ms-range-get-content-md5" : "x-ms-range-get-content-crc64";
  if (md5 && crc64) throw new Refusal("BothCrc64AndMd5RangeHeaderPresent");
  if (range === undefined) throw badHeader(name, "true");
  if (range.length > LIMITS.rangeDigestBytesMax)
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
