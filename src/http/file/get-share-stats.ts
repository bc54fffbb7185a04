import { getShareStatistics } from "../../services/file/share-properties.ts";
import { readLeaseId } from "../common/read-headers.ts";
import { stamp, XML } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { element, printXml, textElement } from "../wire/xml-print.ts";
import { readShareRef } from "./read-request.ts";
import type { FileServices } from "./services.ts";

/** GET /{share}?restype=share&comp=stats */
export async function handleGetShareStats(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const { revision, bytes } = await getShareStatistics(files, {
    ref: readShareRef(request),
    leaseId: readLeaseId(request.headers),
  });
  const body = printXml(element("ShareStats", textElement("ShareUsageBytes", bytes)));
  return { status: 200, headers: { ...stamp(revision), ...XML }, body };
}
