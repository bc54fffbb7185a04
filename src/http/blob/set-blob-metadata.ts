import { setBlobMetadata } from "../../services/blob/set-blob-properties.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import { readBlobGuards, readEncryption, refuseVersionOrSnapshot } from "./blob-headers.ts";
import { IF_ALL, readBlobRef } from "./read-request.ts";
import type { BlobServices } from "./services.ts";
import { writtenHeaders } from "./written-headers.ts";

/** Changes that leave the content alone: metadata, HTTP headers, expiry; and the snapshot, which changes nothing. */
export async function handleSetBlobMetadata(
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  refuseVersionOrSnapshot(request.query);
  const written = await setBlobMetadata(blobs, {
    ref: readBlobRef(request),
    ...readBlobGuards(request, IF_ALL),
    metadata: readMetadata(request.rawHeaders),
    encryption: readEncryption(request),
  });
  return { status: 200, headers: writtenHeaders(written) };
}
