import { setFileMetadata } from "../../services/file/file-properties.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import { readLeaseId, readPathRef } from "./read-request.ts";
import { stamp } from "./replies.ts";
import type { FileServices } from "./services.ts";

/** PUT /{share}/{file}?comp=metadata */
export async function handleSetFileMetadata(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const revision = await setFileMetadata(files, {
    ref: readPathRef(request),
    leaseId: readLeaseId(request.headers),
    metadata: readMetadata(request.rawHeaders),
  });
  return { status: 200, headers: { ...stamp(revision), "x-ms-request-server-encrypted": "true" } };
}
