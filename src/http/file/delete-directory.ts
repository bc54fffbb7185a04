import { deleteDirectory } from "../../services/file/directories.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readPathRef } from "./read-request.ts";
import type { FileServices } from "./services.ts";

/** DELETE /{share}/{directory}?restype=directory */
export async function handleDeleteDirectory(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  await deleteDirectory(files, readPathRef(request));
  return { status: 202 };
}
