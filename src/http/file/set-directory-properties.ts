import { setDirectoryProperties } from "../../services/file/directories.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readChanges, readPathRef } from "./read-request.ts";
import { changedHeaders } from "./replies.ts";
import type { FileServices } from "./services.ts";

/** PUT /{share}/{directory}?restype=directory&comp=properties */
export async function handleSetDirectoryProperties(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const inode = await setDirectoryProperties(files, readPathRef(request), readChanges(request.headers));
  return {
    status: 200,
    headers: changedHeaders(inode),
  };
}
