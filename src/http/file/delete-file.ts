import { deleteFile } from "../../services/file/delete-file.ts";
import { readLeaseId } from "../common/read-headers.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readPathRef } from "./read-request.ts";
import type { FileServices } from "./services.ts";

/** DELETE /{share}/{file} */
export async function handleDeleteFile(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  await deleteFile(files, { ref: readPathRef(request), leaseId: readLeaseId(request.headers) });
  return { status: 202 };
}
