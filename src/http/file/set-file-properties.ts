import { setFileProperties } from "../../services/file/file-properties.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readChanges, readFileHeaders, readFileSize, readLeaseId, readPathRef } from "./read-request.ts";
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
    // A change of size alone leaves them; otherwise what is not named is cleared, and be it all of them.
    headers: readFileHeaders(headers) ?? (size === undefined ? {} : undefined),
    size,
  });
  return { status: 200, headers: changedHeaders(inode) };
}
