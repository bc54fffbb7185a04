import { LIMITS, MIB } from "../../base/limits.ts";
import { badHeader, Refusal } from "../../base/refusals.ts";
import { md5OfArrived } from "../../digest/md5-batch.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { type BlobProperties, putBlob, type Written } from "../../services/blob/put-blob.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { STRUCTURED_BODY } from "../wire/structured-body.ts";
import { readCreateGuards, readProperties, refuseVersionOrSnapshot } from "./blob-headers.ts";
import { IF_ALL, missingHeader, readBlobRef } from "./read-request.ts";
import type { BlobServices } from "./services.ts";
import { writtenHeaders } from "./written-headers.ts";

/** What one request may carry grew with the versions of the protocol. */
export function bytesMaxFor(
  version: string,
  sizes: { readonly since2019: number; readonly since2016: number; readonly before: number },
): number {
  // A client that names no version is served as a present one.
  if (version === "" || version >= "2019-12-12") return sizes.since2019;
  return version >= "2016-05-31" ? sizes.since2016 : sizes.before;
}

export function checkBodyLength({ body }: HttpRequest, bytesMax: number): void {
  if (body.length !== undefined && body.length > bytesMax) {
    throw new Refusal("RequestBodyTooLarge", { elements: { MaxLimit: String(bytesMax) } });
  }
}

const PUT_BLOB_SIZES = { since2019: BLOB_LIMITS.putBlobBytesMax, since2016: 256 * MIB, before: 64 * MIB };

/** Put Blobs whose bodies have come, or have begun to, and that are not answered yet. */
let arrived = 0;

/** PUT /{container}/{blob} with x-ms-blob-type: BlockBlob */
export async function handlePutBlob(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
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
  const reading = isSmall ? body.read(LIMITS.inlineBytesMax) : body.stream({ md5: true });
  const content = reading instanceof Promise ? await reading : reading;
  arrived++;
  try {
    const digest = Buffer.isBuffer(content) ? md5OfArrived(content, arrived) : undefined;
    const computed = digest instanceof Promise ? await digest : digest;
    const md5 = (): string | undefined =>
      agreed(properties, Buffer.isBuffer(content) ? computed : content.md5);
    // Spelled out: an object made by spreading has a shape of its own each time, and is slow for all who read it.
    const wish = { ref, conditions, leaseId, mayOverwrite, properties, length, body: content, md5 };
    return putReply(request, await putBlob(blobs, wish));
  } finally {
    arrived--;
  }
}

/** x-ms-blob-content-md5 is kept with the blob; of a blob that comes in one piece it is checked as well. */
function agreed({ http }: BlobProperties, md5: string | undefined): string | undefined {
  const told = http.contentMd5;
  if (told !== undefined && told !== md5) {
    throw new Refusal("Md5Mismatch", {
      elements: { UserSpecifiedMd5: told, ServerCalculatedMd5: md5 ?? "" },
    });
  }
  return md5;
}

function putReply({ headers }: HttpRequest, written: Written): HttpReply {
  const out = writtenHeaders(written);
  out["Content-MD5"] = written.contentMd5;
  // Not computed where nobody asked; what was sent has been compared by now.
  const crc64 = headers["x-ms-content-crc64"];
  if (crc64 !== undefined) out["x-ms-content-crc64"] = crc64;
  if (headers["x-ms-structured-body"] !== undefined) out["x-ms-structured-body"] = STRUCTURED_BODY;
  return { status: 201, headers: out };
}

export async function handlePutBlobOfNoType({ headers }: HttpRequest): Promise<HttpReply> {
  const type = headers["x-ms-blob-type"];
  throw type === undefined ? missingHeader("x-ms-blob-type") : badHeader("x-ms-blob-type", type);
}
