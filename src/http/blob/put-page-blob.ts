import { badHeader } from "../../base/refusals.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { putPageBlob } from "../../services/blob/put-blob.ts";
import { PAGE_TIERS } from "../../services/blob/set-blob-tier.ts";
import { bodyTooLarge, requireHeader } from "../common/read-headers.ts";
import type { Headers, HttpReply, HttpRequest } from "../exchange.ts";
import { IF_ALL } from "./read-conditions.ts";
import { readBlobRef, readCreateGuards, readProperties, refuseVersionOrSnapshot } from "./read-request.ts";
import { writtenHeaders } from "./replies.ts";
import type { BlobServices } from "./services.ts";

/** x-ms-blob-content-length: whole pages, up to 8 TiB. */
export function readPageBlobLength(headers: Headers): number {
  const name = "x-ms-blob-content-length";
  const text = requireHeader(headers, name);
  const length = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(length) || length % BLOB_LIMITS.pageBytes !== 0) throw badHeader(name, text);
  if (length > BLOB_LIMITS.pageBlobBytesMax) {
    throw bodyTooLarge(BLOB_LIMITS.pageBlobBytesMax);
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
export async function handlePutPageBlob(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { headers, body } = request;
  refuseVersionOrSnapshot(request.query);
  if (body.length !== 0) throw badHeader("Content-Length", String(body.length ?? ""));
  const written = await putPageBlob(blobs, {
    ref: readBlobRef(request),
    ...readCreateGuards(request, IF_ALL),
    properties: readProperties(request, true, PAGE_TIERS),
    length: readPageBlobLength(headers),
    sequenceNumber: readSequenceNumber(headers, "x-ms-blob-sequence-number") ?? 0n,
  });
  return { status: 201, headers: writtenHeaders(written) };
}
