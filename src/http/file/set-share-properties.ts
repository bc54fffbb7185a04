import { setShareMetadata, setShareProperties } from "../../services/file/share-properties.ts";
import { readLeaseId } from "../common/read-headers.ts";
import { stamp } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import { readSnapshotRef } from "./read-request.ts";
import type { FileServices } from "./services.ts";
import { downgradeHeaders, readSettings, shareWrittenHeaders } from "./share-settings.ts";

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
  return { status: 200, headers: { ...shareWrittenHeaders(share, request), ...downgradeHeaders(share) } };
}

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
