import { DELETE, READ, WRITE } from "../../concurrency/share-mode.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import { type HandlePosition, type ListedHandle, listHandles } from "../../services/file/list-handles.ts";
import { readBoolean } from "../common/read-headers.ts";
import { invalidMarker, XML } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";
import { decodeMarker, encodeMarker, readListParams } from "../wire/list-params.ts";
import { PrintedPage, printListing } from "../wire/printed-page.ts";
import { element, encodedElement, optionalElement, textElement } from "../wire/xml-print.ts";
import { readPathRef } from "./read-request.ts";
import type { FileServices } from "./services.ts";

const RIGHTS = [
  ["Read", READ],
  ["Write", WRITE],
  ["Delete", DELETE],
] as const;

function scopeOf(request: HttpRequest): string {
  return `handles ${request.target.account} ${request.target.path}`;
}

export function positionOf(request: HttpRequest): HandlePosition | undefined {
  const marker = request.query.get("marker");
  if (marker === undefined || marker === "") return undefined;
  const [inode, handle] = decodeMarker(scopeOf(request), marker);
  if (
    inode === undefined ||
    handle === undefined ||
    !/^\d{1,20}$/.test(inode) ||
    !/^\d{1,20}$/.test(handle)
  ) {
    throw invalidMarker();
  }
  return { inode: BigInt(inode), handle: BigInt(handle) };
}

export function markerOf(request: HttpRequest, next: HandlePosition | undefined): string {
  return next === undefined ? "" : encodeMarker(scopeOf(request), [String(next.inode), String(next.handle)]);
}

/** GET /{share}/{path}?comp=listhandles */
export async function handleListHandles(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const params = readListParams(request.query, { include: [], maxResultsMax: FILE_LIMITS.listHandlesMax });
  const { page, next } = await listHandles(files, {
    ref: readPathRef(request),
    isRecursive: readBoolean(request.headers, "x-ms-recursive") ?? false,
    newPage: () => new PrintedPage(printHandle, { countMax: params.maxResults }),
    from: positionOf(request),
  });
  const body = printListing({
    head:
      optionalElement("Marker", params.given.marker) + optionalElement("MaxResults", params.given.maxResults),
    name: "Entries",
    page,
    nextMarker: markerOf(request, next),
  });
  return { status: 200, headers: XML, body };
}

function printHandle({ inode, handle, record, path, parent }: ListedHandle): string {
  const rights = RIGHTS.filter(([, bit]) => (record.access & bit) !== 0);
  const list = rights.map(([name]) => textElement("AccessRight", name)).join("");
  return element(
    "Handle",
    textElement("HandleId", String(handle)) +
      encodedElement("Path", path.join("/")) +
      textElement("FileId", String(inode)) +
      textElement("ParentId", String(parent)) +
      textElement("SessionId", String(record.session)) +
      textElement("ClientIp", record.clientAddress) +
      textElement("ClientName", record.clientName) +
      textElement("OpenTime", printHttpDate(record.openedAt)) +
      optionalElement(
        "LastReconnectTime",
        record.reconnectedAt === undefined ? undefined : printHttpDate(record.reconnectedAt),
      ) +
      (list === "" ? "" : element("AccessRightList", list)),
  );
}
