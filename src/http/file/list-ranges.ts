import { StorageFault } from "../../base/faults.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import {
  type ByteSpan,
  type ListedRanges,
  type ListRanges,
  listRanges,
} from "../../services/file/list-ranges.ts";
import { readBoolean, readLeaseId } from "../common/read-headers.ts";
import { invalidMarker, stamp, XML } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { decodeMarker, encodeMarker, readListParams } from "../wire/list-params.ts";
import { parseRange } from "../wire/range.ts";
import { BOM, element, printXml, textElement, XML_DECLARATION } from "../wire/xml-print.ts";
import { readPathRef, readSnapshotTime } from "./read-request.ts";
import type { FileServices } from "./services.ts";

/**
 * GET /{share}/{file}?comp=rangelist: the whole list or, since 2026-10-06, a page of it for a client that
 * sends `marker` or `maxresults`.
 */
export async function handleListRanges(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const { query } = request;
  const span = parseRange(request.headers);
  const isPaged = query.has("maxresults") || query.has("marker");
  const params = isPaged ? readListParams(query, { include: [] }) : undefined;
  const scope = `ranges ${request.target.account} ${request.target.path}`;
  const start = params?.marker === undefined ? undefined : offsetOf(scope, params.marker);
  const listingFrom = (from: number | undefined): ListRanges => ({
    ref: readPathRef(request),
    leaseId: readLeaseId(request.headers),
    since: readSnapshotTime(request, "prevsharesnapshot"),
    followsRenames: readBoolean(request.headers, "x-ms-file-support-rename") ?? false,
    part: (size) => ({ from: from ?? span?.from ?? 0, to: Math.min(size, (span?.to ?? size) + 1) }),
    maxResults: params?.maxResults ?? FILE_LIMITS.rangesPerStep,
  });
  const first = await listRanges(files, listingFrom(start));
  const { inode, ranges, cleared, next } = first;
  const { revision, size } = inode.record;
  const headers = { ...stamp(revision), ...XML, "x-ms-content-length": String(size) };
  if (!isPaged && next !== undefined)
    return { status: 200, headers, body: printWhole(first, (from) => listRanges(files, listingFrom(from))) };
  const marker = next === undefined ? "" : encodeMarker(scope, [String(next)]);
  const more = isPaged ? textElement("NextMarker", marker) : "";
  const body = printXml(element("Ranges", printSpans(ranges, cleared) + more));
  return { status: 200, headers, body };
}

/**
 * A long list for a client that knows no pages, read page by page as the client receives it. When the file
 * changes meanwhile, the server breaks the reply off.
 */
async function* printWhole(
  first: ListedRanges,
  more: (from: number) => Promise<ListedRanges>,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`${BOM}${XML_DECLARATION}<Ranges>${printSpans(first.ranges, first.cleared)}`);
  const { id, record } = first.inode;
  for (let from = first.next; from !== undefined; ) {
    const { inode, ranges, cleared, next } = await more(from);
    const isSame = inode.id === id && inode.record.dataRevision === record.dataRevision;
    // A list must not mix two states of a file.
    if (!isSame) throw new StorageFault("the file was changed while its ranges were listed");
    yield Buffer.from(printSpans(ranges, cleared));
    from = next;
  }
  yield Buffer.from("</Ranges>");
}

function offsetOf(scope: string, marker: string): number {
  const [offset = ""] = decodeMarker(scope, marker);
  if (!/^\d{1,15}$/.test(offset)) throw invalidMarker();
  return Number(offset);
}

/** Both kinds, in the order of their offsets. */
function printSpans(ranges: readonly ByteSpan[], cleared: readonly ByteSpan[]): string {
  const all = [
    ...ranges.map((span) => ({ name: "Range", ...span })),
    ...cleared.map((span) => ({ name: "ClearRange", ...span })),
  ].sort((a, b) => a.from - b.from);
  let out = "";
  for (const { name, from, to } of all) {
    out += element(name, textElement("Start", from) + textElement("End", to));
  }
  return out;
}
