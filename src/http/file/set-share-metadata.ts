import { setShareMetadata } from "../../services/file/share-properties.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import { readLeaseId } from "./read-request.ts";
import { readSnapshotRef } from "./read-share-request.ts";
import { stamp } from "./replies.ts";
import type { FileServices } from "./services.ts";

/** PUT /{share}?restype=share&comp=metadata */
export async function handleSetShareMetadata(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const share = await setShareMetadata(files, {
    ref: readSnapshotRef(request),
    leaseId: readLeaseId(request.headers),
    metadata: readMetadata(request.rawHeaders),
  });
  return { status: 200, headers: stamp(share.revision) };
}
