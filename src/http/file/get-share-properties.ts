import { getShare } from "../../services/file/share-properties.ts";
import { readLeaseId } from "../common/read-headers.ts";
import { leaseHeaders, metadataHeaders } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readSnapshotRef } from "./read-request.ts";
import type { FileServices } from "./services.ts";
import { settingHeaders } from "./share-settings.ts";

/** GET or HEAD /{share}?restype=share */
export async function handleGetShareProperties(
  request: HttpRequest,
  services: FileServices,
): Promise<HttpReply> {
  const { info, now } = await readShare(request, services);
  const headers = {
    ...metadataHeaders(info),
    ...leaseHeaders(info.lease, now),
    ...settingHeaders(info, now),
    "x-ms-has-immutability-policy": "false",
    "x-ms-has-legal-hold": "false",
  };
  return { status: 200, headers };
}

/** GET or HEAD /{share}?restype=share&comp=metadata */
export async function handleGetShareMetadata(
  request: HttpRequest,
  services: FileServices,
): Promise<HttpReply> {
  const { info } = await readShare(request, services);
  return { status: 200, headers: metadataHeaders(info) };
}

function readShare(request: HttpRequest, { files }: FileServices): ReturnType<typeof getShare> {
  return getShare(files, { ref: readSnapshotRef(request), leaseId: readLeaseId(request.headers) });
}
