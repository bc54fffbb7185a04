import { getDirectoryProperties } from "../../services/file/directories.ts";
import { metadataHeaders } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printMetadata } from "../wire/metadata.ts";
import { readPathRef } from "./read-request.ts";
import { changedHeaders } from "./replies.ts";
import type { FileServices } from "./services.ts";

/** GET or HEAD /{share}/{directory}?restype=directory */
export async function handleGetDirectoryProperties(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const inode = await getDirectoryProperties(files, readPathRef(request));
  const headers = {
    ...changedHeaders(inode, request),
    ...printMetadata(inode.record.metadata ?? {}),
    "x-ms-request-server-encrypted": undefined,
    "x-ms-server-encrypted": "true",
  };
  return { status: 200, headers };
}

/** GET or HEAD /{share}/{directory}?restype=directory&comp=metadata */
export async function handleGetDirectoryMetadata(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const { record } = await getDirectoryProperties(files, readPathRef(request));
  return { status: 200, headers: metadataHeaders(record) };
}
