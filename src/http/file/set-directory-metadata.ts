import { setDirectoryMetadata } from "../../services/file/directories.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import { readPathRef } from "./read-request.ts";
import { stamp } from "./replies.ts";
import type { FileServices } from "./services.ts";

/** PUT /{share}/{directory}?restype=directory&comp=metadata */
export async function handleSetDirectoryMetadata(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const revision = await setDirectoryMetadata(files, readPathRef(request), readMetadata(request.rawHeaders));
  return { status: 200, headers: { ...stamp(revision), "x-ms-request-server-encrypted": "true" } };
}
