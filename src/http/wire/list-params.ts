import type { Millis } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { badQuery, Refusal } from "../../base/refusals.ts";
import { Crc64 } from "../../digest/crc64.ts";
import { encodedElement, optionalElement, textElement } from "./xml-print.ts";

/** The query parameters of every listing, and the markers of its pages. */
interface QueryValues {
  get(name: string): string | undefined;
}

export interface ListParams {
  readonly prefix: string;
  readonly marker: string | undefined;
  /** The client's `maxresults`, up to the service's maximum. */
  readonly maxResults: number;
  /** Lower-cased. */
  readonly include: ReadonlySet<string>;
  readonly delimiter: string | undefined;
  /** As sent, for the reply, which repeats them. */
  readonly given: {
    readonly prefix: string | undefined;
    readonly marker: string | undefined;
    readonly maxResults: number | undefined;
  };
}

export interface ListRules {
  /** What `include` may name, in lower case. */
  readonly include: readonly string[];
  readonly maxResultsMax?: number;
}

export function readListParams(query: QueryValues, rules: ListRules): ListParams {
  const prefix = query.get("prefix");
  const marker = query.get("marker");
  const delimiter = query.get("delimiter");
  const cap = rules.maxResultsMax ?? LIMITS.listResultsMax;
  const maxResults = readCount(query, "maxresults", { min: 1, max: cap });
  return {
    prefix: prefix ?? "",
    marker: marker === "" ? undefined : marker,
    maxResults: Math.min(maxResults ?? cap, cap),
    include: readInclude(query.get("include"), rules.include),
    delimiter: delimiter === "" ? undefined : delimiter,
    given: { prefix, marker, maxResults },
  };
}

/**
 * A whole number of at least `min`. The caller caps it at `max`, since the reply repeats what the client
 * sent.
 */
export function readCount(
  query: QueryValues,
  name: string,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  const text = query.get(name);
  if (text === undefined || text === "") return undefined;
  if (!/^-?\d{1,10}$/.test(text)) throw badQuery(name, text, "A whole number is expected.");
  const count = Number(text);
  if (count < min)
    throw new Refusal("OutOfRangeQueryParameterValue", {
      elements: {
        QueryParameterName: name,
        QueryParameterValue: text,
        MinimumAllowed: String(min),
        MaximumAllowed: String(max),
      },
    });
  return count;
}

function readInclude(text: string | undefined, allowed: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  if (text === undefined) return found;
  for (const item of text.split(",")) {
    const name = item.trim().toLowerCase();
    if (name === "") continue;
    if (!allowed.includes(name)) throw badQuery("include", text, `There is no ${item.trim()} to include.`);
    found.add(name);
  }
  return found;
}

/** The client's `timeout` in seconds, up to the service's maximum. */
export function readTimeout(query: QueryValues, secondsMax: number = LIMITS.timeoutSecondsMax): Millis {
  const seconds = readCount(query, "timeout", { min: 0, max: secondsMax });
  // SDKs send zero for "the default".
  return Math.min(seconds === undefined || seconds === 0 ? secondsMax : seconds, secondsMax) * 1_000;
}

/** The parameters that were sent, as the head of a listing repeats them; `where` is a query over tags. */
export function printListParams({ given, delimiter }: ListParams, where?: string): string {
  return (
    (given.prefix === undefined ? "" : encodedElement("Prefix", given.prefix)) +
    (given.marker === undefined ? "" : textElement("Marker", given.marker)) +
    optionalElement("Where", where) +
    optionalElement("MaxResults", given.maxResults) +
    (delimiter === undefined ? "" : encodedElement("Delimiter", delimiter))
  );
}

/**
 * A marker is opaque to the client: url-safe Base64 of a version byte, a check of four bytes and the position
 * as JSON. The check covers the scope too ("blobs in container c"), so a marker of another listing is refused
 * instead of silently skipping entries. It protects against mistakes, not against forgery: a marker grants
 * nothing that the listing itself would not show.
 */
const MARKER_VERSION = 1;
const CHECK_BYTES = 4;

export function encodeMarker(scope: string, position: readonly string[]): string {
  const payload = Buffer.from(JSON.stringify(position));
  return Buffer.concat([Buffer.of(MARKER_VERSION), checkOf(scope, payload), payload]).toString("base64url");
}

export function decodeMarker(scope: string, marker: string): string[] {
  const position = readMarker(scope, marker);
  if (position === undefined) throw new Refusal("OutOfRangeInput");
  return position;
}

function readMarker(scope: string, marker: string): string[] | undefined {
  if (marker.length > LIMITS.markerCharsMax || !/^[A-Za-z0-9_-]+$/.test(marker)) return undefined;
  const bytes = Buffer.from(marker, "base64url");
  const payload = bytes.subarray(1 + CHECK_BYTES);
  if (bytes[0] !== MARKER_VERSION || payload.length === 0) return undefined;
  if (!checkOf(scope, payload).equals(bytes.subarray(1, 1 + CHECK_BYTES))) return undefined;
  return parsePosition(payload.toString());
}

function checkOf(scope: string, payload: Buffer): Buffer {
  return new Crc64()
    .update(Buffer.from(`${scope}\0`))
    .update(payload)
    .digest()
    .subarray(0, CHECK_BYTES);
}

function parsePosition(text: string): string[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // A marker made by hand with a valid check.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined;
}
