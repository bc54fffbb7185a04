import { Refusal } from "../../base/refusals.ts";
import { etagOf } from "../../base/revision.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { copyFrom, copyReply, readDigest } from "./copy-blob.ts";
import type { CopiedWithDigest } from "./copy-from-elsewhere.ts";
import { readBlobRef } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

export async function handleCopyBlobFromUrl(
  request: HttpRequest,
  services: BlobServices,
): Promise<HttpReply> {
  const copied = await copyFrom(request, services, "sync");
  const { headers = {}, ...reply } = copyReply(copied, "sync");
  // The reply has one digest: the MD5 if the client declared it, otherwise the CRC64.
  const md5 = request.headers["x-ms-source-content-md5"];
  const crc64 = md5 === undefined ? await crc64Of(request, services, copied) : undefined;
  return { ...reply, headers: { ...headers, "Content-MD5": md5, "x-ms-content-crc64": crc64 } };
}

/**
 * A copy within this server refers to the slices of its source, so the server reads them for their digest
 * after the copy. The reply has no digest if another write replaces the copy first.
 */
async function crc64Of(
  request: HttpRequest,
  { blobs }: BlobServices,
  { written, crc64 }: CopiedWithDigest,
): Promise<string | undefined> {
  const declared = request.headers["x-ms-source-content-crc64"];
  if (crc64 !== undefined || declared !== undefined) return crc64 ?? declared;
  const copy = {
    ref: readBlobRef(request),
    selector: {},
    shown: "",
    conditions: { ifMatch: [etagOf(written.revision)] },
    keySha256: written.keySha256,
  };
  try {
    return (await readDigest(blobs, copy, {})).crc64;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
