import { createDirectory } from "../../services/file/directories.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import { readChanges, readPathRef } from "./read-request.ts";
import { changedHeaders } from "./replies.ts";
import type { FileServices } from "./services.ts";

/** PUT /{share}/{directory}?restype=directory */
export async function handleCreateDirectory(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const inode = await createDirectory(files, {
    ref: readPathRef(request),
    requested: readChanges(request.headers),
    metadata: readMetadata(request.rawHeaders),
  });
  return { status: 201, headers: changedHeaders(inode, request) };
}
