import { setShareProperties } from "../../services/file/share-properties.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readLeaseId } from "./read-request.ts";
import { readSettings, readSnapshotRef } from "./read-share-request.ts";
import { stamp } from "./replies.ts";
import type { FileServices } from "./services.ts";
import { downgradeHeaders, quotaHeaders } from "./share-settings.ts";

/** PUT /{share}?restype=share&comp=properties */
export async function handleSetShareProperties(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const share = await setShareProperties(files, {
    ref: readSnapshotRef(request),
    leaseId: readLeaseId(request.headers),
    changes: readSettings(request.headers),
  });
  const headers = { ...stamp(share.revision), ...quotaHeaders(share), ...downgradeHeaders(share) };
  return { status: 200, headers };
}
