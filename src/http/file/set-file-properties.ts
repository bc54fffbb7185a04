import { setFileMetadata, setFileProperties } from "../../services/file/file-properties.ts";
import { readLeaseId } from "../common/read-headers.ts";
import { stamp } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import { readChanges, readFileHeaders, readFileSize, readPathRef } from "./read-request.ts";
import { changedHeaders } from "./replies.ts";
import type { FileServices } from "./services.ts";

/** PUT /{share}/{file}?comp=properties */
export async function handleSetFileProperties(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const { headers } = request;
  const size = readFileSize(headers);
  const inode = await setFileProperties(files, {
    ref: readPathRef(request),
    leaseId: readLeaseId(headers),
    requested: readChanges(headers),
    // A change of size alone leaves them; otherwise the request clears those that it does not have.
    headers: readFileHeaders(headers) ?? (size === undefined ? {} : undefined),
    size,
  });
  return { status: 200, headers: changedHeaders(inode, request) };
}

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
