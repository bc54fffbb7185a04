import { setDirectoryMetadata, setDirectoryProperties } from "../../services/file/file-properties.ts";
import { stamp } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import { readChanges, readPathRef } from "./read-request.ts";
import { changedHeaders } from "./replies.ts";
import type { FileServices } from "./services.ts";

/** PUT /{share}/{directory}?restype=directory&comp=properties */
export async function handleSetDirectoryProperties(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const inode = await setDirectoryProperties(files, {
    ref: readPathRef(request),
    requested: readChanges(request.headers),
  });
  return { status: 200, headers: changedHeaders(inode, request) };
}

/** PUT /{share}/{directory}?restype=directory&comp=metadata */
export async function handleSetDirectoryMetadata(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const revision = await setDirectoryMetadata(files, {
    ref: readPathRef(request),
    metadata: readMetadata(request.rawHeaders),
  });
  return { status: 200, headers: { ...stamp(revision), "x-ms-request-server-encrypted": "true" } };
}
