import { Refusal } from "../../base/refusals.ts";
import { restoreShare } from "../../services/file/delete-share.ts";
import { requireHeader } from "../common/read-headers.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readShareRef } from "./read-request.ts";
import type { FileServices } from "./services.ts";
import { shareWrittenHeaders } from "./share-settings.ts";

/** PUT /{share}?restype=share&comp=undelete */
export async function handleRestoreShare(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  if (request.query.has("sharesnapshot")) throw new Refusal("ShareSnapshotOperationNotSupported");
  const share = await restoreShare(files, {
    ref: readShareRef(request),
    deletedName: requireHeader(request.headers, "x-ms-deleted-share-name"),
    deletedVersion: requireHeader(request.headers, "x-ms-deleted-share-version"),
  });
  return { status: 201, headers: shareWrittenHeaders(share, request) };
}
