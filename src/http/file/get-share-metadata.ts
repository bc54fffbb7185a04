import { getShare } from "../../services/file/share-properties.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printMetadata } from "../wire/metadata.ts";
import { readLeaseId } from "./read-request.ts";
import { readSnapshotRef } from "./read-share-request.ts";
import { stamp } from "./replies.ts";
import type { FileServices } from "./services.ts";

/** GET or HEAD /{share}?restype=share&comp=metadata */
export async function handleGetShareMetadata(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const { info } = await getShare(files, {
    ref: readSnapshotRef(request),
    leaseId: readLeaseId(request.headers),
  });
  return { status: 200, headers: { ...stamp(info.revision), ...printMetadata(info.metadata ?? {}) } };
}
