import { getDirectoryProperties } from "../../services/file/directories.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printMetadata } from "../wire/metadata.ts";
import { readPathRef } from "./read-request.ts";
import { stamp } from "./replies.ts";
import type { FileServices } from "./services.ts";

/** GET or HEAD /{share}/{directory}?restype=directory&comp=metadata */
export async function handleGetDirectoryMetadata(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const { record } = await getDirectoryProperties(files, readPathRef(request));
  return { status: 200, headers: { ...stamp(record.revision), ...printMetadata(record.metadata ?? {}) } };
}
