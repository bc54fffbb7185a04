import { FILE_LIMITS } from "../../services/file/limits.ts";
import { getShareUsage } from "../../services/file/share-properties.ts";
import { readLeaseId } from "../common/read-headers.ts";
import { XML } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { isSince } from "../wire/since.ts";
import { element, printXml, textElement } from "../wire/xml-print.ts";
import { readShareRef } from "./read-request.ts";
import type { FileServices } from "./services.ts";

/** GET /{share}?restype=share&comp=stats */
export async function handleGetShareStats(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const bytes = await getShareUsage(files, {
    ref: readShareRef(request),
    leaseId: readLeaseId(request.headers),
  });
  const usage = isSince(request.version, "ShareUsageBytes")
    ? textElement("ShareUsageBytes", bytes)
    : textElement("ShareUsage", Math.ceil(bytes / FILE_LIMITS.quotaUnitBytes));
  return { status: 200, headers: XML, body: printXml(element("ShareStats", usage)) };
}
