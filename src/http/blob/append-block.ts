import { badHeader } from "../../base/refusals.ts";
import type { AppendConditions } from "../../concurrency/conditions.ts";
import { type AppendBlock, type AppendedBlock, appendBlock } from "../../services/blob/append-block.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { readWhole } from "../common/read-headers.ts";
import type { Headers, HttpReply, HttpRequest, ReplyHeaders } from "../exchange.ts";
import { checkBodyLength } from "./put-blob.ts";
import { readBlock } from "./put-block.ts";
import { IF_ALL } from "./read-conditions.ts";
import { readBlobGuards, readBlobRef, readEncryption, refuseVersionOrSnapshot } from "./read-request.ts";
import { digestHeaders, partWrittenHeaders } from "./replies.ts";
import type { BlobServices } from "./services.ts";

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

/** Blocks of 100 MiB came with 2022-11-02; without a version the newest applies. */
export function appendBytesMax(version: string): number {
  const { appendBlockBytesMax, appendBlockBytesMaxBefore2022 } = BLOB_LIMITS;
  return version === "" || version >= "2022-11-02" ? appendBlockBytesMax : appendBlockBytesMaxBefore2022;
}

/** PUT ?comp=appendblock */
export async function handleAppendBlock(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { length } = request.body;
  refuseVersionOrSnapshot(request.query);
  checkBodyLength(request, appendBytesMax(request.version));
  if (length === 0) throw badHeader("Content-Length", "0");
  const { ref, conditions, leaseId, append, encryption } = readAppendTarget(request);
  const body = await readBlock(request);
  const appended = await appendBlock(blobs, { ref, conditions, leaseId, append, encryption, body, length });
  return { status: 201, headers: appendedHeaders(request, appended, digestHeaders(request, body)) };
}

export function readAppendTarget(request: HttpRequest): Omit<AppendBlock, "body" | "length"> {
  const { conditions, leaseId } = readBlobGuards(request, IF_ALL);
  return {
    ref: readBlobRef(request),
    conditions,
    leaseId,
    append: readAppendConditions(request.headers),
    encryption: readEncryption(request),
  };
}

export function appendedHeaders(
  { headers }: HttpRequest,
  appended: AppendedBlock,
  digests: ReplyHeaders,
): ReplyHeaders {
  const out = partWrittenHeaders(appended, digests, headers);
  out["x-ms-blob-append-offset"] = String(appended.offset);
  out["x-ms-blob-committed-block-count"] = String(appended.blockCount);
  return out;
}
