import { KIB } from "../../base/limits.ts";
import { badHeader } from "../../base/refusals.ts";
import type { AppendConditions } from "../../concurrency/conditions.ts";
import { type Appended, appendBlock } from "../../services/blob/append-block.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import type { Headers, HttpReply, HttpRequest, ReplyHeaders } from "../exchange.ts";
import { checkBytes } from "../wire/digest.ts";
import { readBlobGuards, readEncryption, refuseVersionOrSnapshot } from "./blob-headers.ts";
import { checkBodyLength } from "./put-blob.ts";
import { IF_ALL, readBlobRef, readWhole } from "./read-request.ts";
import type { BlobServices } from "./services.ts";
import { digestHeaders, partWrittenHeaders } from "./written-headers.ts";

const POSITION = { min: 0, max: Number.MAX_SAFE_INTEGER };

export function readAppendConditions(headers: Headers): AppendConditions {
  const appendPosition = readWhole(headers, "x-ms-blob-condition-appendpos", POSITION);
  const maxSize = readWhole(headers, "x-ms-blob-condition-maxsize", POSITION);
  if (appendPosition === undefined && maxSize === undefined) return ANYWHERE;
  return {
    ...(appendPosition === undefined ? {} : { appendPosition }),
    ...(maxSize === undefined ? {} : { maxSize }),
  };
}

const ANYWHERE: AppendConditions = {};

/** Blocks of 100 MiB came with 2022-11-02; a client that names no version is served as a present one. */
export function appendBytesMax(version: string): number {
  const { appendBlockBytesMax, appendBlockBytesMaxBefore2022 } = BLOB_LIMITS;
  return version === "" || version >= "2022-11-02" ? appendBlockBytesMax : appendBlockBytesMaxBefore2022;
}

/** Read at once; anything longer streams. */
const WHOLE_BYTES_MAX = 64 * KIB;

/** PUT ?comp=appendblock */
export async function handleAppendBlock(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { body, headers } = request;
  refuseVersionOrSnapshot(request.query);
  checkBodyLength(request, appendBytesMax(request.version));
  if (body.length === 0) throw badHeader("Content-Length", "0");
  const ref = readBlobRef(request);
  const { conditions, leaseId } = readBlobGuards(request, IF_ALL);
  const position = readAppendConditions(headers);
  const encryption = readEncryption(request);
  const wantsCrc64 = headers["content-md5"] === undefined;
  if (body.length !== undefined && body.length <= WHOLE_BYTES_MAX) {
    const bytes = await body.read(WHOLE_BYTES_MAX);
    const appended = await appendBlock(blobs, {
      ref,
      conditions,
      leaseId,
      append: position,
      encryption,
      body: bytes,
    });
    const { crc64 } = checkBytes(bytes, { declared: {}, wantsCrc64 });
    return { status: 201, headers: appendedHeaders(request, appended, digestHeaders(request, crc64)) };
  }
  const stream = body.stream({ crc64: wantsCrc64 });
  const appended = await appendBlock(blobs, {
    ref,
    conditions,
    leaseId,
    append: position,
    encryption,
    body: stream,
    length: body.length,
  });
  return { status: 201, headers: appendedHeaders(request, appended, digestHeaders(request, stream.crc64)) };
}

export function appendedHeaders(
  { headers }: HttpRequest,
  appended: Appended,
  digests: ReplyHeaders,
): ReplyHeaders {
  const out = partWrittenHeaders(appended, digests, headers);
  out["x-ms-blob-append-offset"] = String(appended.offset);
  out["x-ms-blob-committed-block-count"] = String(appended.blockCount);
  return out;
}
