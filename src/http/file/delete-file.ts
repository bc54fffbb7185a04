import { deleteFile } from "../../services/file/delete-file.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readLeaseId, readPathRef } from "./read-request.ts";
import type { FileServices } from "./services.ts";

/** DELETE /{share}/{file} */
export async function handleDeleteFile(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  await deleteFile(files, { ref: readPathRef(request), leaseId: readLeaseId(request.headers) });
  return { status: 202 };
}
