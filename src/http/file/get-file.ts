import { collect } from "../../base/bytes.ts";
import { instantOf } from "../../base/revision.ts";
import { quotedEtag } from "../../concurrency/etag.ts";
import { leaseStatus } from "../../concurrency/lease.ts";
import { type FileState, getFile, getFileProperties } from "../../services/file/get-file.ts";
import { readLeaseId } from "../common/read-headers.ts";
import { metadataHeaders, overrideHeaders } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";
import { checkBytes } from "../wire/digest.ts";
import { printMetadata } from "../wire/metadata.ts";
import { parseRange, printContentRange, rangeDigestOf, resolveRange } from "../wire/range.ts";
import {
  encodeStructuredBody,
  STRUCTURED_BODY,
  structuredLength,
  wantsStructuredBody,
} from "../wire/structured-body.ts";
import { DEFAULT_CONTENT_TYPE, readPathRef } from "./read-request.ts";
import { contentHeaders, copyHeaders, printAttributes, printTicks } from "./replies.ts";
import type { FileServices } from "./services.ts";

/** One object literal, without spreads: every read builds it. */
function fileHeaders({ inode, now }: FileState, request: HttpRequest): Record<string, string | undefined> {
  const { id, record } = inode;
  const own = record.headers;
  const headers: Record<string, string | undefined> = {
    ETag: quotedEtag(record.revision),
    "Last-Modified": printHttpDate(instantOf(record.revision)),
    // A client may have cleared it.
    "Content-Type": own === undefined ? DEFAULT_CONTENT_TYPE : own.contentType,
    "x-ms-type": "File",
    "x-ms-file-attributes": printAttributes(record.attributes),
    "x-ms-file-creation-time": printTicks(record.createdAt),
    "x-ms-file-last-write-time": printTicks(record.writtenAt),
    "x-ms-file-change-time": printTicks(record.changedAt),
    "x-ms-file-permission-key": record.permission,
    "x-ms-file-id": String(id),
    "x-ms-file-parent-id": String(record.parent),
    "x-ms-server-encrypted": "true",
  };
  // Files have leases, their snapshots have none.
  if (!request.query.has("sharesnapshot")) {
    const { state, status, duration } = leaseStatus(record.lease, now);
    headers["x-ms-lease-status"] = status;
    headers["x-ms-lease-state"] = state;
    headers["x-ms-lease-duration"] = duration;
  }
  if (own !== undefined) Object.assign(headers, contentHeaders(own));
  if (record.copy !== undefined) Object.assign(headers, copyHeaders(record.copy));
  if (record.metadata !== undefined) Object.assign(headers, printMetadata(record.metadata));
  overrideHeaders(headers, request);
  return headers;
}

const EMPTY_PART = { from: 0, to: 0 } as const;

/** GET /{share}/{file}: the whole file or a range, with a digest of the range, or as a structured body */
export async function handleGetFile(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const { headers } = request;
  const requested = parseRange(headers);
  const isStructured = wantsStructuredBody(headers);
  const found = await getFile(files, {
    ref: readPathRef(request),
    leaseId: readLeaseId(headers),
    part: (size) => {
      if (requested === undefined) return size === 0 ? EMPTY_PART : { from: 0, to: size };
      const { from, to } = resolveRange(requested, size);
      return { from, to: to + 1 };
    },
  });
  const { content, inode } = found;
  try {
    const { size, headers: own } = inode.record;
    const { from, length } = content;
    const range = requested === undefined ? undefined : { from, to: from + length - 1, length };
    const digest = rangeDigestOf(headers, range);
    const fields = fileHeaders(found, request);
    fields["Accept-Ranges"] = "bytes";
    if (range !== undefined) fields["Content-Range"] = printContentRange(range, size);
    fields["Content-Type"] ??= DEFAULT_CONTENT_TYPE;
    if (own?.contentMd5 !== undefined) {
      fields[requested === undefined ? "Content-MD5" : "x-ms-content-md5"] = own.contentMd5;
    }
    const status = requested === undefined ? 200 : 206;
    if (digest !== undefined) {
      const bytes = content.whole ?? (await collect(content.stream()));
      content.close();
      const { md5, crc64 } = checkBytes(bytes, {
        declared: {},
        wantsMd5: digest === "md5",
        wantsCrc64: digest === "crc64",
      });
      if (md5 !== undefined) fields["Content-MD5"] = md5;
      return { status, headers: { ...fields, "x-ms-content-crc64": crc64 }, body: bytes };
    }
    if (isStructured) {
      fields["x-ms-structured-body"] = STRUCTURED_BODY;
      fields["x-ms-structured-content-length"] = String(length);
      const body = encodeStructuredBody(content.stream(), { contentLength: length });
      const release = (): void => content.close();
      return { status, headers: fields, body, length: structuredLength(length), release };
    }
    if (content.whole !== undefined) {
      content.close();
      return { status, headers: fields, body: content.whole };
    }
    return { status, headers: fields, body: content.stream(), length, release: () => content.close() };
  } catch (error) {
    content.close();
    throw error;
  }
}

export async function handleGetFileProperties(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const found = await getFileProperties(files, readRead(request));
  const { record } = found.inode;
  const headers = fileHeaders(found, request);
  headers["Content-MD5"] = record.headers?.contentMd5;
  return { status: 200, headers, length: record.size };
}

/** GET or HEAD /{share}/{file}?comp=metadata */
export async function handleGetFileMetadata(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const { inode } = await getFileProperties(files, readRead(request));
  return { status: 200, headers: metadataHeaders(inode.record) };
}

function readRead(request: HttpRequest) {
  return { ref: readPathRef(request), leaseId: readLeaseId(request.headers) };
}
