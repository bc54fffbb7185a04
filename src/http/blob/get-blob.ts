import { createHash } from "node:crypto";
import { collect } from "../../base/bytes.ts";
import { Crc64 } from "../../digest/crc64.ts";
import {
  getBlob as get,
  getBlobProperties as getProperties,
  type OpenedBlob,
  type ReadBlob,
} from "../../services/blob/get-blob.ts";
import type { SliceRange } from "../../services/payload/payloads.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printMetadata } from "../wire/metadata.ts";
import { type Extent, parseRange, printContentRange, rangeDigestOf, resolveRange } from "../wire/range.ts";
import {
  encodeStructuredBody,
  STRUCTURED_BODY,
  structuredLength,
  wantsStructuredBody,
} from "../wire/structured-body.ts";
import { checkTagPermission, readCustomerKey, readSelector } from "./blob-headers.ts";
import { blobHeaders, propertyHeaders, tierHeaders } from "./blob-replies.ts";
import { readBlobRef, readLeaseId, readReadConditions } from "./read-request.ts";
import { stamp } from "./replies.ts";
import type { BlobServices } from "./services.ts";

export function readRead(request: HttpRequest): ReadBlob {
  const { headers, query } = request;
  checkTagPermission(request);
  return {
    ref: readBlobRef(request),
    selector: readSelector(query),
    conditions: readReadConditions(headers),
    leaseId: readLeaseId(headers),
    keySha256: readCustomerKey(headers),
  };
}

/** The version from which Get Blob tells the tier. */
const REPORTS_TIER = "2026-10-06";

/** GET /{container}/{blob}: the whole of it, or a range. */
export async function getBlob(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { headers } = request;
  const wanted = parseRange(headers);
  // Whatever can be wrong with the request is found before the bytes are pinned.
  const isStructured = wantsStructuredBody(headers);
  let extent: Extent | undefined;
  // The range means something only beside the length the same snapshot tells.
  const rangeOf = (length: number): SliceRange => {
    if (wanted === undefined) rangeDigestOf(headers, undefined);
    if (wanted === undefined) return { from: 0, length };
    extent = resolveRange(wanted, length);
    rangeDigestOf(headers, extent);
    return extent;
  };
  const { ref, selector, conditions, leaseId, keySha256 } = readRead(request);
  // Spelled out: an object made by spreading has a shape of its own each time, and is slow for all who read it.
  const opened = await get(blobs, { ref, selector, conditions, leaseId, keySha256, rangeOf });
  const out = headersOf(request, opened, extent);
  const status = extent === undefined ? 200 : 206;
  const { payload, range, record } = opened;
  const { from, length } = range;
  if (isStructured) {
    out["x-ms-structured-body"] = STRUCTURED_BODY;
    out["x-ms-structured-content-length"] = String(length);
    const source = payload === undefined ? once(inlineBytes(record, range)) : payload.stream(from, length);
    const body = encodeStructuredBody(source, { contentLength: length });
    const release = (): void => payload?.close();
    return { status, headers: out, body, length: structuredLength(length), release };
  }
  const digest = rangeDigestOf(headers, extent);
  if (payload !== undefined && digest === undefined) {
    const body = payload.stream(from, length);
    return { status, headers: out, body, length, release: () => payload.close() };
  }
  // At most 4 MiB: the digest goes out before the first byte.
  const bytes = payload === undefined ? inlineBytes(record, range) : await readWhole(payload, range);
  if (digest === "md5") out["Content-MD5"] = createHash("md5").update(bytes).digest("base64");
  if (digest === "crc64") out["x-ms-content-crc64"] = new Crc64().update(bytes).base64();
  return { status, headers: out, body: bytes, length: undefined, release: undefined };
}

function headersOf(
  request: HttpRequest,
  opened: OpenedBlob,
  extent: Extent | undefined,
): Record<string, string | undefined> {
  const out = blobHeaders(opened);
  const { contentMd5 } = opened.record.http;
  if (extent === undefined) out["Content-MD5"] = contentMd5;
  else {
    out["Content-Range"] = printContentRange(extent, opened.record.length);
    out["x-ms-blob-content-md5"] = contentMd5;
  }
  if (request.version >= REPORTS_TIER) Object.assign(out, tierHeaders(opened.record));
  if (request.caller.kind === "serviceSas") override(out, request.caller.overrides);
  return out;
}

async function readWhole(payload: NonNullable<OpenedBlob["payload"]>, range: SliceRange): Promise<Buffer> {
  try {
    return await collect(payload.stream(range.from, range.length));
  } finally {
    payload.close();
  }
}

function inlineBytes({ content }: OpenedBlob["record"], { from, length }: SliceRange): Buffer {
  return "inline" in content ? content.inline.subarray(from, from + length) : Buffer.alloc(0);
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** A SAS may say how what it opens is to be served (rscc, rscd and their like). */
function override(
  out: Record<string, string | undefined>,
  overrides: Readonly<Record<string, string>>,
): void {
  for (const lower in overrides) {
    const name = lower.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
    out[name] = overrides[lower];
  }
}

/** HEAD /{container}/{blob} */
export async function getBlobProperties(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const seen = await getProperties(blobs, readRead(request));
  const headers = {
    ...blobHeaders(seen),
    ...propertyHeaders(seen),
    "Content-MD5": seen.record.http.contentMd5,
  };
  if (request.caller.kind === "serviceSas") override(headers, request.caller.overrides);
  return { status: 200, headers, length: seen.record.length };
}

export async function getBlobMetadata(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { record } = await getProperties(blobs, readRead(request));
  return { status: 200, headers: { ...stamp(record.revision), ...printMetadata(record.metadata ?? {}) } };
}
