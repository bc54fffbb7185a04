import { LIMITS, MIB } from "../../base/limits.ts";
import { badHeader, Refusal } from "../../base/refusals.ts";
import { crc64Base64 } from "../../digest/crc64.ts";
import { md5OfArrived } from "../../digest/md5-batch.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import type { BlobProperties, Written } from "../../services/blob/new-blob.ts";
import { putBlob } from "../../services/blob/put-blob.ts";
import { bodyTooLarge, missingHeader } from "../common/read-headers.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { isSince } from "../wire/since.ts";
import { STRUCTURED_BODY } from "../wire/structured-body.ts";
import { IF_ALL } from "./read-conditions.ts";
import { readBlobRef, readCreateGuards, readProperties, refuseVersionOrSnapshot } from "./read-request.ts";
import { writtenHeaders } from "./replies.ts";
import type { BlobServices } from "./services.ts";

/** The largest body of one request grew with the versions of the protocol. */
export function bytesMaxFor(
  version: string,
  sizes: { readonly since2019: number; readonly since2016: number; readonly before: number },
): number {
  // A client that sends no version gets the behaviour of the newest one.
  if (version === "" || version >= "2019-12-12") return sizes.since2019;
  return version >= "2016-05-31" ? sizes.since2016 : sizes.before;
}

export function checkBodyLength({ body }: HttpRequest, bytesMax: number): void {
  if (body.length !== undefined && body.length > bytesMax) {
    throw bodyTooLarge(bytesMax);
  }
}

const PUT_BLOB_SIZES = { since2019: BLOB_LIMITS.putBlobBytesMax, since2016: 256 * MIB, before: 64 * MIB };

/** PUT /{container}/{blob} with x-ms-blob-type: BlockBlob */
export async function handlePutBlob(request: HttpRequest, { blobs, puts }: BlobServices): Promise<HttpReply> {
  const { headers, body } = request;
  refuseVersionOrSnapshot(request.query);
  const pageLength = headers["x-ms-blob-content-length"];
  if (pageLength !== undefined) throw badHeader("x-ms-blob-content-length", pageLength);
  checkBodyLength(request, bytesMaxFor(request.version, PUT_BLOB_SIZES));
  const ref = readBlobRef(request);
  const { conditions, leaseId, mayOverwrite } = readCreateGuards(request, IF_ALL);
  const properties = readProperties(request, true);
  const { length } = body;
  const isSmall = length !== undefined && length <= LIMITS.inlineBytesMax;
  const wantsCrc64 = isSince(request.version, "x-ms-content-crc64");
  const reading = isSmall ? body.read(LIMITS.inlineBytesMax) : body.stream({ md5: true, crc64: wantsCrc64 });
  const content = reading instanceof Promise ? await reading : reading;
  // Before other requests push the bytes out of the processor's cache.
  const crc64 = wantsCrc64 && Buffer.isBuffer(content) ? crc64Base64(content) : undefined;
  puts.inFlight++;
  try {
    const digest = Buffer.isBuffer(content) ? md5OfArrived(content, puts.inFlight) : undefined;
    const computed = digest instanceof Promise ? await digest : digest;
    const md5 = (): string | undefined =>
      checkMd5(properties, Buffer.isBuffer(content) ? computed : content.md5);
    // No spread: each spread object would get a shape of its own, which slows every later property access.
    const put = { ref, conditions, leaseId, mayOverwrite, properties, length, body: content, md5 };
    const written = await putBlob(blobs, put);
    return putReply(request, written, Buffer.isBuffer(content) ? crc64 : content.crc64);
  } finally {
    puts.inFlight--;
  }
}

/**
 * The server stores x-ms-blob-content-md5 with the blob, and compares it when one request writes the whole
 * blob.
 */
export function checkMd5({ http }: BlobProperties, md5: string | undefined): string | undefined {
  const declared = http.contentMd5;
  if (declared === undefined || declared === md5) return md5;
  const elements = { UserSpecifiedMd5: declared, ServerCalculatedMd5: md5 ?? "" };
  throw new Refusal("Md5Mismatch", { elements });
}

function putReply({ headers }: HttpRequest, written: Written, crc64: string | undefined): HttpReply {
  const out = writtenHeaders(written);
  out["Content-MD5"] = written.contentMd5;
  if (crc64 !== undefined) out["x-ms-content-crc64"] = crc64;
  if (headers["x-ms-structured-body"] !== undefined) out["x-ms-structured-body"] = STRUCTURED_BODY;
  return { status: 201, headers: out };
}

export async function handlePutBlobOfNoType({ headers }: HttpRequest): Promise<HttpReply> {
  const type = headers["x-ms-blob-type"];
  throw type === undefined ? missingHeader("x-ms-blob-type") : badHeader("x-ms-blob-type", type);
}
