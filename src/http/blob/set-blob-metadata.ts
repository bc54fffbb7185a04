import { setBlobMetadata } from "../../services/blob/set-blob-metadata.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import { IF_ALL } from "./read-conditions.ts";
import { readBlobGuards, readBlobRef, readEncryption, refuseVersionOrSnapshot } from "./read-request.ts";
import { writtenHeaders } from "./replies.ts";
import type { BlobServices } from "./services.ts";

/** PUT ?comp=metadata */
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
