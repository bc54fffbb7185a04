import { StorageFault } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import { badHeader, badQuery, Refusal } from "../../base/refusals.ts";
import { instantOf } from "../../base/revision.ts";
import { md5Batched } from "../../digest/md5-batch.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import {
  type ByteSpan,
  type ListedRanges,
  type ListRanges,
  listRanges as list,
} from "../../services/file/list-ranges.ts";
import { clearRange, type PutRange, putRange as put, type RangePut } from "../../services/file/put-range.ts";
import { ingest } from "../../services/payload/content.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";
import { decodeMarker, encodeMarker, readListParams } from "../wire/list-params.ts";
import { parseRange, requireRange } from "../wire/range.ts";
import { STRUCTURED_BODY } from "../wire/structured-body.ts";
import { BOM, element, printXml, textElement, XML_DECLARATION } from "../wire/xml-print.ts";
import { missingHeader, readFlag, readLeaseId, readPathRef, readSnapshotTime } from "./read-request.ts";
import { printTicks, quotedEtag, stamp, XML } from "./replies.ts";
import { type FileRow, type FileServices, onInode, row } from "./rows.ts";

/** Put Range (update and clear) and List Ranges. */
export function readPutRange(request: HttpRequest): PutRange {
  const { headers } = request;
  const { from, to } = requireRange(headers);
  const time = headers["x-ms-file-last-write-time"]?.toLowerCase();
  if (time !== undefined && time !== "now" && time !== "preserve") {
    throw badHeader("x-ms-file-last-write-time", time);
  }
  return {
    ref: readPathRef(request),
    leaseId: readLeaseId(headers),
    from,
    to: to + 1,
    keepsWriteTime: time === "preserve",
  };
}

export function rangeReply(
  { revision, writtenAt }: RangePut,
  more: {
    readonly md5?: string | undefined;
    readonly crc64?: string | undefined;
    readonly isStructured?: boolean;
  },
): HttpReply {
  const headers: Record<string, string | undefined> = {
    ETag: quotedEtag(revision),
    "Last-Modified": printHttpDate(instantOf(revision)),
    "x-ms-request-server-encrypted": "true",
    "x-ms-file-last-write-time": printTicks(writtenAt),
  };
  if (more.md5 !== undefined) headers["Content-MD5"] = more.md5;
  if (more.crc64 !== undefined) headers["x-ms-content-crc64"] = more.crc64;
  if (more.isStructured === true) headers["x-ms-structured-body"] = STRUCTURED_BODY;
  return { status: 201, headers };
}

async function putRange(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const { headers, body } = request;
  const action = headers["x-ms-write"]?.toLowerCase();
  if (action === undefined) throw missingHeader("x-ms-write");
  const range = readPutRange(request);
  if (action === "clear") {
    const md5 = headers["content-md5"];
    if (md5 !== undefined) throw badHeader("Content-MD5", md5);
    if (body.length !== 0) throw badHeader("Content-Length", headers["content-length"] ?? "");
    return rangeReply(await clearRange(files, range), {});
  }
  if (action !== "update") throw badHeader("x-ms-write", headers["x-ms-write"]!);
  if (body.length === undefined)
    throw new Refusal("MissingContentLengthHeader", { elements: { HeaderName: "Content-Length" } });
  if (range.to - range.from > FILE_LIMITS.rangeBytesMax) throw new Refusal("RequestBodyTooLarge");
  if (body.length !== range.to - range.from) throw badHeader("x-ms-range", headers["x-ms-range"] ?? "");
  // A small body comes whole: a stream of one piece would cost more than the piece.
  const isSmall = body.length <= LIMITS.inlineBytesMax;
  const content = isSmall
    ? await body.read(LIMITS.inlineBytesMax)
    : body.stream({ md5: body.length <= FILE_LIMITS.reportedDigestBytesMax });
  const bytes = await ingest(files.parts.payloads, content, body.length);
  const { ref, leaseId, from, to, keepsWriteTime } = range;
  const done = await put(files, { ref, leaseId, from, to, keepsWriteTime, bytes });
  return rangeReply(done, {
    md5: Buffer.isBuffer(content) ? await md5Batched(content) : content.md5,
    isStructured: headers["x-ms-structured-body"] !== undefined,
  });
}

/** Whole, or since 2026-10-06 in pages, for who sends a marker or how much a page may hold. */
async function listRanges(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const { query } = request;
  const span = parseRange(request.headers);
  const isPaged = query.has("maxresults") || query.has("marker");
  const params = isPaged ? readListParams(query, { include: [] }) : undefined;
  const scope = `ranges ${request.target.account} ${request.target.path}`;
  const start = params?.marker === undefined ? undefined : offsetOf(scope, params.marker);
  const wanted = (from: number | undefined): ListRanges => ({
    ref: readPathRef(request),
    leaseId: readLeaseId(request.headers),
    since: readSnapshotTime(request, "prevsharesnapshot"),
    followsRenames: readFlag(request.headers, "x-ms-file-support-rename") ?? false,
    part: (size) => ({ from: from ?? span?.from ?? 0, to: Math.min(size, (span?.to ?? size) + 1) }),
    maxResults: params?.maxResults ?? FILE_LIMITS.rangesPerStep,
  });
  const first = await list(files, wanted(start));
  const { inode, ranges, cleared, next } = first;
  const { revision, size } = inode.record;
  const headers = { ...stamp(revision), ...XML, "x-ms-content-length": String(size) };
  if (!isPaged && next !== undefined)
    return { status: 200, headers, body: printWhole(first, (from) => list(files, wanted(from))) };
  const marker = next === undefined ? "" : encodeMarker(scope, [String(next)]);
  const more = isPaged ? textElement("NextMarker", marker) : "";
  const body = printXml(element("Ranges", printSpans(ranges, cleared) + more));
  return { status: 200, headers, body };
}

/**
 * A long list for a client that knows no pages: some at a time, at the pace of the client.
 * When the file changes meanwhile, the reply breaks off, and the client asks again.
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
  if (!/^\d{1,15}$/.test(offset)) throw badQuery("marker", marker, "The marker is not valid.");
  return Number(offset);
}

/** In the order of the file, both kinds together. */
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

const resource = "file" as const;

export const RANGE_ROWS: readonly FileRow[] = [
  row({
    name: "PutRange",
    method: "PUT",
    resource,
    query: { comp: "range" },
    permission: onInode(["w"]),
    returnsEtag: true,
    lease: "checked",
    body: "stream",
    bodyBytesMax: FILE_LIMITS.rangeBytesMax,
    ok: [201],
    handle: putRange,
  }),
  row({
    name: "ListRanges",
    method: "GET",
    resource,
    query: { comp: "rangelist" },
    permission: onInode(["r"]),
    returnsEtag: true,
    lease: "checked",
    replyBytesMax: LIMITS.listPageBytesMax,
    handle: listRanges,
  }),
];
