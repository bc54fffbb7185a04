import { badHeader, badQuery } from "../../base/refusals.ts";
import { abortCopy } from "../../services/file/copy-file.ts";
import { guidOf, missingHeader, readLeaseId } from "../common/read-headers.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readPathRef } from "./read-request.ts";
import type { FileServices } from "./services.ts";

/** PUT /{share}/{file}?comp=copy&copyid= */
export async function handleAbortCopyFile(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const action = request.headers["x-ms-copy-action"];
  if (action === undefined) throw missingHeader("x-ms-copy-action");
  if (action.toLowerCase() !== "abort") throw badHeader("x-ms-copy-action", action);
  const copyId = request.query.get("copyid");
  if (copyId === undefined || guidOf(copyId) === undefined) {
    throw badQuery("copyid", copyId?.slice(0, 64) ?? "", "copyid needs to be valid Guid.");
  }
  await abortCopy(files, { ref: readPathRef(request), copyId, leaseId: readLeaseId(request.headers) });
  return { status: 204 };
}
