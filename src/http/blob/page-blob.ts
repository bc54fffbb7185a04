import { badHeader, Refusal } from "../../base/refusals.ts";
import type { SequenceConditions } from "../../concurrency/conditions.ts";
import { createPageBlob as create } from "../../services/blob/create-blob.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import type { PageSpan } from "../../services/blob/page-map.ts";
import {
  clearPage,
  type PagesWritten,
  type PageWrite,
  putPage as put,
} from "../../services/blob/put-page.ts";
import { PAGE_TIERS } from "../../services/blob/set-blob-tier.ts";
import type { Headers, HttpReply, HttpRequest, ReplyHeaders } from "../exchange.ts";
import { checkBytes } from "../wire/digest.ts";
import { requireRange } from "../wire/range.ts";
import {
  readBlobGuards,
  readCreateGuards,
  readEncryption,
  readProperties,
  refuseVersionOrSnapshot,
} from "./blob-headers.ts";
import { digestHeaders, partWrittenHeaders } from "./blocks.ts";
import { writtenHeaders } from "./put-blob.ts";
import { IF_ALL, readBlobRef, requireHeader } from "./read-request.ts";
import { type BlobRow, type BlobServices, onBlob, row } from "./rows.ts";

/** x-ms-blob-content-length: whole pages, up to 8 TiB. */
export function readPageBlobLength(headers: Headers): number {
  const name = "x-ms-blob-content-length";
  const text = requireHeader(headers, name);
  const length = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(length) || length % BLOB_LIMITS.pageBytes !== 0) throw badHeader(name, text);
  if (length > BLOB_LIMITS.pageBlobBytesMax) {
    throw new Refusal("RequestBodyTooLarge", {
      elements: { MaxLimit: String(BLOB_LIMITS.pageBlobBytesMax) },
    });
  }
  return length;
}

const SEQUENCE_MAX = 2n ** 63n - 1n;

export function readSequenceNumber(headers: Headers, name: string): bigint | undefined {
  const text = headers[name];
  if (text === undefined) return undefined;
  const number = /^\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  if (number === undefined || number > SEQUENCE_MAX) throw badHeader(name, text);
  return number;
}

/** PUT with x-ms-blob-type: PageBlob: zeros */
async function createPageBlob(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { headers, body } = request;
  refuseVersionOrSnapshot(request.query);
  if (body.length !== 0) throw badHeader("Content-Length", String(body.length ?? ""));
  const written = await create(blobs, {
    ref: readBlobRef(request),
    ...readCreateGuards(request, IF_ALL),
    properties: readProperties(request, true, PAGE_TIERS),
    length: readPageBlobLength(headers),
    sequenceNumber: readSequenceNumber(headers, "x-ms-blob-sequence-number") ?? 0n,
  });
  return { status: 201, headers: writtenHeaders(written) };
}

/** A number that is none that could be is answered as a wrong input, not as a wrong header. */
function readSequenceBound(headers: Headers, name: string): bigint | undefined {
  const text = headers[name];
  if (text !== undefined && /^-\d{1,19}$/.test(text)) {
    throw new Refusal("InvalidInput", { elements: { HeaderName: name, HeaderValue: text } });
  }
  return readSequenceNumber(headers, name);
}

export function readSequenceConditions(headers: Headers): SequenceConditions {
  const lessOrEqual = readSequenceBound(headers, "x-ms-if-sequence-number-le");
  const less = readSequenceBound(headers, "x-ms-if-sequence-number-lt");
  const equal = readSequenceBound(headers, "x-ms-if-sequence-number-eq");
  if (lessOrEqual === undefined && less === undefined && equal === undefined) return ANY_NUMBER;
  return {
    ...(lessOrEqual === undefined ? {} : { lessOrEqual }),
    ...(less === undefined ? {} : { less }),
    ...(equal === undefined ? {} : { equal }),
  };
}

const ANY_NUMBER: SequenceConditions = {};

/** The pages a write names: both ends on page boundaries. */
export function readPageSpan(headers: Headers): PageSpan {
  const { from, length } = requireRange(headers);
  const { pageBytes } = BLOB_LIMITS;
  if (from % pageBytes !== 0 || length % pageBytes !== 0) throw new Refusal("InvalidPageRange");
  return { start: from, length };
}

export function readPageWrite(request: HttpRequest): PageWrite {
  refuseVersionOrSnapshot(request.query);
  const { conditions, leaseId } = readBlobGuards(request, IF_ALL);
  return {
    ref: readBlobRef(request),
    conditions,
    leaseId,
    span: readPageSpan(request.headers),
    sequence: readSequenceConditions(request.headers),
    encryption: readEncryption(request),
  };
}

export function checkPageWriteLength({ length }: PageSpan): void {
  const { pageWriteBytesMax } = BLOB_LIMITS;
  if (length > pageWriteBytesMax) {
    throw new Refusal("RequestBodyTooLarge", { elements: { MaxLimit: String(pageWriteBytesMax) } });
  }
}

/** PUT ?comp=page: x-ms-page-write says whether pages are written or cleared */
async function putPage(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { headers, body } = request;
  const action = requireHeader(headers, "x-ms-page-write").toLowerCase();
  const write = readPageWrite(request);
  if (action === "clear") {
    if (body.length !== 0) throw badHeader("Content-Length", String(body.length ?? ""));
    return { status: 201, headers: pageHeaders(request, await clearPage(blobs, write), {}) };
  }
  if (action !== "update") throw badHeader("x-ms-page-write", action);
  checkPageWriteLength(write.span);
  if (body.length !== undefined && body.length !== write.span.length) {
    throw badHeader("Content-Length", String(body.length));
  }
  const bytes = await body.read(BLOB_LIMITS.pageWriteBytesMax);
  if (bytes.length !== write.span.length) throw badHeader("Content-Length", String(bytes.length));
  const written = await put(blobs, write, bytes);
  const wantsCrc64 = headers["content-md5"] === undefined;
  const { crc64 } = checkBytes(bytes, { declared: {}, wantsCrc64 });
  return { status: 201, headers: pageHeaders(request, written, digestHeaders(request, crc64)) };
}

export function pageHeaders(
  { headers }: HttpRequest,
  written: PagesWritten,
  digests: ReplyHeaders,
): ReplyHeaders {
  const out = partWrittenHeaders(written, digests, headers);
  out["x-ms-blob-sequence-number"] = String(written.sequenceNumber);
  return out;
}

const common = { method: "PUT", resource: "blob", returnsEtag: true, lease: "checked" } as const;

export const PAGE_BLOB_ROWS: readonly BlobRow[] = [
  row({
    ...common,
    name: "PutPageBlob",
    header: { "x-ms-blob-type": "PageBlob" },
    permission: onBlob(["c", "w"]),
    conditions: IF_ALL,
    // A body is looked at to be refused in the protocol's words.
    body: "stream",
    bodyBytesMax: BLOB_LIMITS.putBlobBytesMax,
    ok: [201],
    handle: createPageBlob,
  }),
  row({
    ...common,
    name: "PutPage",
    query: { comp: "page" },
    permission: onBlob(["w"]),
    conditions: IF_ALL,
    body: "stream",
    bodyBytesMax: BLOB_LIMITS.putBlobBytesMax,
    ok: [201],
    handle: putPage,
  }),
];
