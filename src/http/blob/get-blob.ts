import { createHash } from "node:crypto";
import { collect } from "../../base/bytes.ts";
import { Crc64 } from "../../digest/crc64.ts";
import type { Selector } from "../../services/blob/blobs.ts";
import { type GetBlob, getBlob, getBlobProperties, type OpenedBlob } from "../../services/blob/get-blob.ts";
import type { SliceRange } from "../../services/payload/payloads.ts";
import { readLeaseId } from "../common/read-headers.ts";
import { metadataHeaders, overrideHeaders } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { type ByteRange, parseRange, printContentRange, rangeDigestOf, resolveRange } from "../wire/range.ts";
import {
  encodeStructuredBody,
  STRUCTURED_BODY,
  structuredLength,
  wantsStructuredBody,
} from "../wire/structured-body.ts";
import { readReadConditions } from "./read-conditions.ts";
import { checkTagPermission, readBlobRef, readCustomerKey, readSelector } from "./read-request.ts";
import { blobHeaders, propertyHeaders, tierHeaders } from "./replies.ts";
import type { BlobServices } from "./services.ts";

export function readRead(request: HttpRequest): GetBlob {
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

const TIER_SINCE = "2026-10-06";

/** GET /{container}/{blob}: the whole of it, or a range. */
export async function handleGetBlob(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { headers } = request;
  const requested = parseRange(headers);
  // The handler refuses a malformed request before it pins the bytes.
  const isStructured = wantsStructuredBody(headers);
  let range: ByteRange | undefined;
  // The service calls this with the length that it read in the same snapshot as the content.
  const rangeOf = (length: number): SliceRange => {
    if (requested !== undefined) range = resolveRange(requested, length);
    rangeDigestOf(headers, range);
    return range ?? { from: 0, length };
  };
  const { ref, selector, conditions, leaseId, keySha256 } = readRead(request);
  // No spread: each spread object would get a shape of its own, which slows every later property access.
  const opened = await getBlob(blobs, { ref, selector, conditions, leaseId, keySha256, rangeOf });
  const out = headersOf(request, opened, selector, range);
  const status = range === undefined ? 200 : 206;
  const { payload } = opened;
  const { length } = opened.range;
  if (isStructured) {
    out["x-ms-structured-body"] = STRUCTURED_BODY;
    out["x-ms-structured-content-length"] = String(length);
    const body = encodeStructuredBody(streamOf(opened), { contentLength: length });
    const release = (): void => payload?.close();
    return { status, headers: out, body, length: structuredLength(length), release };
  }
  const digest = rangeDigestOf(headers, range);
  if (payload !== undefined && digest === undefined) {
    const body = payload.stream(opened.range.from, length);
    return { status, headers: out, body, length, release: () => payload.close() };
  }
  // The digest goes out before the first byte, so the range is read whole: at most 4 MiB.
  const bytes = payload === undefined ? inlineBytes(opened) : await readWhole(payload, opened.range);
  if (digest === "md5") out["Content-MD5"] = createHash("md5").update(bytes).digest("base64");
  if (digest === "crc64") out["x-ms-content-crc64"] = new Crc64().update(bytes).base64();
  return { status, headers: out, body: bytes, length: undefined, release: undefined };
}

function headersOf(
  request: HttpRequest,
  opened: OpenedBlob,
  selector: Selector,
  range: ByteRange | undefined,
): Record<string, string | undefined> {
  const out = blobHeaders(opened, selector);
  const { contentMd5 } = opened.record.http;
  if (range === undefined) out["Content-MD5"] = contentMd5;
  else {
    out["Content-Range"] = printContentRange(range, opened.record.length);
    out["x-ms-blob-content-md5"] = contentMd5;
  }
  if (request.version >= TIER_SINCE) Object.assign(out, tierHeaders(opened.record));
  overrideHeaders(out, request);
  return out;
}

async function readWhole(payload: NonNullable<OpenedBlob["payload"]>, range: SliceRange): Promise<Buffer> {
  try {
    return await collect(payload.stream(range.from, range.length));
  } finally {
    payload.close();
  }
}

function inlineBytes({ record, range: { from, length } }: OpenedBlob): Buffer {
  const { content } = record;
  return "inline" in content ? content.inline.subarray(from, from + length) : Buffer.alloc(0);
}

/** The content, wherever it is stored. */
export function streamOf(opened: OpenedBlob): AsyncIterable<Buffer> {
  const { payload, range } = opened;
  return payload === undefined ? once(inlineBytes(opened)) : payload.stream(range.from, range.length);
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** HEAD /{container}/{blob} */
export async function handleGetBlobProperties(
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  const read = readRead(request);
  const seen = await getBlobProperties(blobs, read);
  const headers = {
    ...blobHeaders(seen, read.selector),
    ...propertyHeaders(seen),
    "Content-MD5": seen.record.http.contentMd5,
  };
  overrideHeaders(headers, request);
  return { status: 200, headers, length: seen.record.length };
}

export async function handleGetBlobMetadata(
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  const { record } = await getBlobProperties(blobs, readRead(request));
  return { status: 200, headers: metadataHeaders(record) };
}
