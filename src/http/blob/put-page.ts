import { badHeader, Refusal } from "../../base/refusals.ts";
import type { SequenceConditions } from "../../concurrency/conditions.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import type { PageSpan } from "../../services/blob/page-map.ts";
import { clearPage, type PagesWritten, type PutPage, putPage } from "../../services/blob/put-page.ts";
import { bodyTooLarge, requireHeader } from "../common/read-headers.ts";
import type { Headers, HttpReply, HttpRequest, ReplyHeaders } from "../exchange.ts";
import { requireRange } from "../wire/range.ts";
import { readSequenceNumber } from "./put-page-blob.ts";
import { IF_ALL } from "./read-conditions.ts";
import { readBlobGuards, readBlobRef, readEncryption, refuseVersionOrSnapshot } from "./read-request.ts";
import { digestHeaders, partWrittenHeaders } from "./replies.ts";
import type { BlobServices } from "./services.ts";

/** Put Page refuses a negative number as a wrong input, not as a wrong header. */
function readSequenceBound(headers: Headers, name: string): bigint | undefined {
  const text = headers[name];
  if (text !== undefined && /^-\d{1,19}$/.test(text) && headers["x-ms-copy-source"] === undefined) {
    throw new Refusal("InvalidInput", { elements: { HeaderName: name, HeaderValue: text } });
  }
  return readSequenceNumber(headers, name);
}

function readSequenceConditions(headers: Headers): SequenceConditions {
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
function readPageSpan(headers: Headers): PageSpan {
  const { from, length } = requireRange(headers);
  const { pageBytes } = BLOB_LIMITS;
  if (from % pageBytes !== 0 || length % pageBytes !== 0) throw new Refusal("InvalidPageRange");
  return { start: from, length };
}

export function readPageWrite(request: HttpRequest): PutPage {
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
    throw bodyTooLarge(pageWriteBytesMax);
  }
}

/** PUT ?comp=page: x-ms-page-write says whether pages are written or cleared */
export async function handlePutPage(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { headers, body } = request;
  const action = requireHeader(headers, "x-ms-page-write").toLowerCase();
  const write = readPageWrite(request);
  if (action === "clear") {
    if (body.length !== 0) throw badHeader("Content-Length", String(body.length ?? ""));
    const headers = pageHeaders(request, await clearPage(blobs, write), {});
    return { status: 201, headers: { ...headers, "x-ms-request-server-encrypted": undefined } };
  }
  if (action !== "update") throw badHeader("x-ms-page-write", action);
  checkPageWriteLength(write.span);
  if (body.length !== undefined && body.length !== write.span.length) {
    throw badHeader("Content-Length", String(body.length));
  }
  const bytes = await body.read(BLOB_LIMITS.pageWriteBytesMax);
  if (bytes.length !== write.span.length) throw badHeader("Content-Length", String(bytes.length));
  const written = await putPage(blobs, write, bytes);
  return { status: 201, headers: pageHeaders(request, written, digestHeaders(request, bytes)) };
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
