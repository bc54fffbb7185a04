import { badHeader } from "../../base/refusals.ts";
import { etagOf, type Revision, revisionOfTimestamp } from "../../base/revision.ts";
import type { BlobContext } from "../../services/blob/context.ts";
import {
  type GetPageRanges,
  getPageRanges,
  type ListedRange,
  type PageRanges,
} from "../../services/blob/get-page-ranges.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import type { PageSpan } from "../../services/blob/page-map.ts";
import { readLeaseId } from "../common/read-headers.ts";
import { invalidMarker, stamp, XML } from "../common/replies.ts";
import type { Headers, HttpReply, HttpRequest } from "../exchange.ts";
import { decodeMarker, encodeMarker, readCount } from "../wire/list-params.ts";
import { parseRange } from "../wire/range.ts";
import { BOM, element, printXml, textElement, XML_DECLARATION } from "../wire/xml-print.ts";
import { IF_ALL, readSingleConditions } from "./read-conditions.ts";
import { checkTagPermission, readBlobRef, readSelector, readTimestamp } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

/** Clients of older versions know no pages of this listing and get it whole. */
const PAGED_SINCE = "2020-10-02";

/** GET ?comp=pagelist: what is written, or with prevsnapshot what has changed since */
export async function handleGetPageRanges(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { headers, query } = request;
  checkTagPermission(request);
  const ref = readBlobRef(request);
  const scope = `pages ${ref.account}/${ref.container}/${ref.blob}`;
  const { pageRangesMax: max } = BLOB_LIMITS;
  const maxResults = readCount(query, "maxresults", { min: 1, max });
  const marker = query.get("marker");
  const isPaged = maxResults !== undefined || request.version === "" || request.version >= PAGED_SINCE;
  const listing: GetPageRanges = {
    ref,
    selector: readSelector(query),
    conditions: readSingleConditions(headers, IF_ALL),
    leaseId: readLeaseId(headers),
    within: readWithin(headers),
    from: marker === undefined || marker === "" ? 0 : positionOf(scope, marker),
    maxResults: Math.min(maxResults ?? max, max),
    previous: readPrevious(request),
  };
  const first = await getPageRanges(blobs, listing);
  const { record, ranges, next } = first;
  const replyHeaders = {
    ...XML,
    ...stamp(record.revision),
    "x-ms-blob-content-length": String(record.length),
  };
  if (!isPaged && next !== undefined)
    return { status: 200, headers: replyHeaders, body: printWhole(blobs, listing, first) };
  const nextMarker = next === undefined ? "" : encodeMarker(scope, [String(next)]);
  const hasMarker = maxResults !== undefined || next !== undefined;
  const content = printRanges(ranges) + (hasMarker ? textElement("NextMarker", nextMarker) : "");
  return { status: 200, headers: replyHeaders, body: printXml(element("PageList", content)) };
}

/**
 * A long list for a client that knows no pages, read page by page as the client receives it. When the blob
 * changes meanwhile, the server breaks the reply off, so that no list mixes two states of the blob.
 */
async function* printWhole(
  blobs: BlobContext,
  listing: GetPageRanges,
  { record, ranges, next }: PageRanges,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`${BOM}${XML_DECLARATION}<PageList>${printRanges(ranges)}`);
  const conditions = { ifMatch: [etagOf(record.revision)] };
  for (let from = next; from !== undefined; ) {
    const page = await getPageRanges(blobs, { ...listing, conditions, from });
    yield Buffer.from(printRanges(page.ranges));
    from = page.next;
  }
  yield Buffer.from("</PageList>");
}

function printRanges(ranges: readonly ListedRange[]): string {
  let out = "";
  for (const range of ranges) out += printRange(range);
  return out;
}

function printRange({ start, length, isCleared }: ListedRange): string {
  const name = isCleared ? "ClearRange" : "PageRange";
  return `<${name}><Start>${start}</Start><End>${start + length - 1}</End></${name}>`;
}

function positionOf(scope: string, marker: string): number {
  const [position] = decodeMarker(scope, marker);
  if (position === undefined || !/^\d{1,15}$/.test(position)) {
    throw invalidMarker();
  }
  return Number(position);
}

/** The requested range, rounded out to whole pages. */
function readWithin(headers: Headers): PageSpan | undefined {
  const range = parseRange(headers);
  if (range === undefined) return undefined;
  const { pageBytes, pageBlobBytesMax } = BLOB_LIMITS;
  const start = Math.floor(range.from / pageBytes) * pageBytes;
  const last = Math.min(range.to ?? pageBlobBytesMax, pageBlobBytesMax);
  const end = Math.ceil((last + 1) / pageBytes) * pageBytes;
  return { start, length: Math.max(0, end - start) };
}

/** The earlier snapshot: by its id or, for a managed disk, by its address. */
function readPrevious({ headers, query }: HttpRequest): Revision | undefined {
  const named = readTimestamp(query, "prevsnapshot");
  const url = headers["x-ms-previous-snapshot-url"];
  if (url === undefined) return named;
  const found = named === undefined ? /[?&]snapshot=([^&#]+)/i.exec(url)?.[1] : undefined;
  const revision = found === undefined ? undefined : revisionOfTimestamp(found.replace(/%3a/gi, ":"));
  if (revision === undefined) throw badHeader("x-ms-previous-snapshot-url", url);
  return revision;
}
