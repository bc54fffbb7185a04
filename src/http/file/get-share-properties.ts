import { getShare } from "../../services/file/share-properties.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printMetadata } from "../wire/metadata.ts";
import { readLeaseId } from "./read-request.ts";
import { readSnapshotRef } from "./read-share-request.ts";
import { leaseHeaders, stamp } from "./replies.ts";
import type { FileServices } from "./services.ts";
import { settingHeaders } from "./share-settings.ts";

/** GET or HEAD /{share}?restype=share */
export async function handleGetShareProperties(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const { info, now } = await getShare(files, {
    ref: readSnapshotRef(request),
    leaseId: readLeaseId(request.headers),
  });
  return {
    status: 200,
    headers: {
      ...stamp(info.revision),
      ...printMetadata(info.metadata ?? {}),
      ...leaseHeaders(info.lease, now),
      ...settingHeaders(info, now),
      "x-ms-has-immutability-policy": "false",
      "x-ms-has-legal-hold": "false",
    },
  };
}
