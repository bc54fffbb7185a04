import { badHeader, badQuery } from "../../base/refusals.ts";
import { etagOf, type Revision, revisionOfTimestamp } from "../../base/revision.ts";
import type { BlobService } from "../../services/blob/blob-service.ts";
import {
  type GetPageRanges,
  getPageRanges,
  type ListedRange,
  type PageRanges,
} from "../../services/blob/get-page-ranges.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import type { PageSpan } from "../../services/blob/page-map.ts";
import type { Headers, HttpReply, HttpRequest } from "../exchange.ts";
import { decodeMarker, encodeMarker, readCount } from "../wire/list-params.ts";
import { parseRange } from "../wire/range.ts";
import { BOM, element, printXml, textElement, XML_DECLARATION } from "../wire/xml-print.ts";
import { checkTagPermission, readMoment, readSelector } from "./blob-headers.ts";
import { IF_ALL, readBlobRef, readLeaseId, readSingleConditions } from "./read-request.ts";
import { stamp, XML } from "./replies.ts";
import type { BlobServices } from "./services.ts";

/** Clients that know pages of this listing; to others it is given whole. */
const PAGED_SINCE = "2020-10-02";

/** GET ?comp=pagelist: what is written, or with prevsnapshot what has changed since */
export async function handleGetPageRanges(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { headers, query } = request;
  checkTagPermission(request);
  const ref = readBlobRef(request);
  const scope = `pages ${ref.account}/${ref.container}/${ref.blob}`;
  const { pageRangesMax: max } = BLOB_LIMITS;
  const asked = readCount(query, "maxresults", { min: 1, max });
  const marker = query.get("marker");
  const isPaged = asked !== undefined || request.version === "" || request.version >= PAGED_SINCE;
  const wanted: GetPageRanges = {
    ref,
    selector: readSelector(query),
    conditions: readSingleConditions(headers, IF_ALL),
    leaseId: readLeaseId(headers),
    within: readWithin(headers),
    from: marker === undefined || marker === "" ? 0 : positionOf(scope, marker),
    maxResults: Math.min(asked ?? max, max),
    previous: readPrevious(request),
  };
  const first = await getPageRanges(blobs, wanted);
  const { record, ranges, next } = first;
  const replyHeaders = {
    ...XML,
    ...stamp(record.revision),
    "x-ms-blob-content-length": String(record.length),
  };
  if (!isPaged && next !== undefined)
    return { status: 200, headers: replyHeaders, body: printWhole(blobs, wanted, first) };
  const nextMarker = next === undefined ? "" : encodeMarker(scope, [String(next)]);
  const content = printRanges(ranges) + (isPaged ? textElement("NextMarker", nextMarker) : "");
  return { status: 200, headers: replyHeaders, body: printXml(element("PageList", content)) };
}

/**
 * A long list for a client that knows no pages: a page at a time, at the pace of the client. It is the list of one
 * moment: when the blob changes meanwhile, the reply breaks off, and the client asks again.
 */
async function* printWhole(
  blobs: BlobService,
  wanted: GetPageRanges,
  { record, ranges, next }: PageRanges,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`${BOM}${XML_DECLARATION}<PageList>${printRanges(ranges)}`);
  const conditions = { ifMatch: [etagOf(record.revision)] };
  for (let from = next; from !== undefined; ) {
    const page = await getPageRanges(blobs, { ...wanted, conditions, from });
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
    throw badQuery("marker", marker, "The marker is not valid.");
  }
  return Number(position);
}

/** Rounded out to whole pages. */
function readWithin(headers: Headers): PageSpan | undefined {
  const range = parseRange(headers);
  if (range === undefined) return undefined;
  const { pageBytes, pageBlobBytesMax } = BLOB_LIMITS;
  const start = Math.floor(range.from / pageBytes) * pageBytes;
  const last = Math.min(range.to ?? pageBlobBytesMax, pageBlobBytesMax);
  const end = Math.ceil((last + 1) / pageBytes) * pageBytes;
  return { start, length: Math.max(0, end - start) };
}

/** By its id, or as a managed disk has it: by the address of the snapshot. */
function readPrevious({ headers, query }: HttpRequest): Revision | undefined {
  const named = readMoment(query, "prevsnapshot");
  const url = headers["x-ms-previous-snapshot-url"];
  if (url === undefined) return named;
  const found = named === undefined ? /[?&]snapshot=([^&#]+)/i.exec(url)?.[1] : undefined;
  const revision = found === undefined ? undefined : revisionOfTimestamp(found.replace(/%3a/gi, ":"));
  if (revision === undefined) throw badHeader("x-ms-previous-snapshot-url", url);
  return revision;
}
