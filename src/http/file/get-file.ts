import { collect } from "../../base/bytes.ts";
import { instantOf } from "../../base/revision.ts";
import { type Lease, leaseStatus } from "../../concurrency/lease.ts";
import { type FileState, getFile, getFileProperties } from "../../services/file/get-file.ts";
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
import { DEFAULT_CONTENT_TYPE, readLeaseId, readPathRef } from "./read-request.ts";
import { contentHeaders, copyHeaders, printAttributes, printTicks, quotedEtag } from "./replies.ts";
import type { FileServices } from "./services.ts";

/** One literal, not many spread together: this is built for every read. */
export function fileHeaders(
  { inode, now }: FileState,
  request: HttpRequest,
): Record<string, string | undefined> {
  const { id, record } = inode;
  const { state, status, duration } = leaseStatus(record.lease as Lease | undefined, now);
  const own = record.headers;
  const headers: Record<string, string | undefined> = {
    ETag: quotedEtag(record.revision),
    "Last-Modified": printHttpDate(instantOf(record.revision)),
    // One that was set to nothing is nothing.
    "Content-Type": own === undefined ? DEFAULT_CONTENT_TYPE : own.contentType,
    "x-ms-type": "File",
    "x-ms-file-attributes": printAttributes(record.attributes),
    "x-ms-file-creation-time": printTicks(record.createdAt),
    "x-ms-file-last-write-time": printTicks(record.writtenAt),
    "x-ms-file-change-time": printTicks(record.changedAt),
    "x-ms-file-permission-key": record.permission,
    "x-ms-file-id": String(id),
    "x-ms-file-parent-id": String(record.parent),
    "x-ms-lease-status": status,
    "x-ms-lease-state": state,
    "x-ms-lease-duration": duration,
    "x-ms-server-encrypted": "true",
  };
  if (own !== undefined) Object.assign(headers, contentHeaders(own));
  if (record.copy !== undefined) Object.assign(headers, copyHeaders(record.copy));
  if (record.metadata !== undefined) Object.assign(headers, printMetadata(record.metadata));
  const { caller } = request;
  if (caller.kind === "serviceSas") overrideHeaders(headers, caller.overrides);
  return headers;
}

const OVERRIDABLE = [
  "Cache-Control",
  "Content-Disposition",
  "Content-Encoding",
  "Content-Language",
  "Content-Type",
] as const;

/** rscc, rscd and their kin of a SAS: the link says how the file shall be served. */
function overrideHeaders(
  headers: Record<string, string | undefined>,
  overrides: Readonly<Record<string, string>>,
): void {
  for (const name of OVERRIDABLE) headers[name] = overrides[name.toLowerCase()] ?? headers[name];
}

const EMPTY_PART = { from: 0, to: 0 } as const;

/** GET of the whole, of a range, with a digest of the range, or as a structured body. */
export async function handleGetFile(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const { headers } = request;
  const wanted = parseRange(headers);
  const isStructured = wantsStructuredBody(headers);
  const found = await getFile(files, {
    ref: readPathRef(request),
    leaseId: readLeaseId(headers),
    part: (size) => {
      if (wanted === undefined) return size === 0 ? EMPTY_PART : { from: 0, to: size };
      const { from, to } = resolveRange(wanted, size);
      return { from, to: to + 1 };
    },
  });
  const { content, inode } = found;
  try {
    const { size, headers: own } = inode.record;
    const extent =
      wanted === undefined
        ? undefined
        : { from: content.from, to: content.from + content.length - 1, length: content.length };
    const digest = rangeDigestOf(headers, extent);
    const fields = fileHeaders(found, request);
    fields["Accept-Ranges"] = "bytes";
    if (extent !== undefined) fields["Content-Range"] = printContentRange(extent, size);
    fields["Content-Type"] ??= DEFAULT_CONTENT_TYPE;
    if (own?.contentMd5 !== undefined) {
      fields[wanted === undefined ? "Content-MD5" : "x-ms-content-md5"] = own.contentMd5;
    }
    const status = wanted === undefined ? 200 : 206;
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
      fields["x-ms-structured-content-length"] = String(content.length);
      return {
        status,
        headers: fields,
        body: encodeStructuredBody(content.stream(), { contentLength: content.length }),
        length: structuredLength(content.length),
        release: () => content.close(),
      };
    }
    if (content.whole !== undefined) {
      content.close();
      return { status, headers: fields, body: content.whole };
    }
    return {
      status,
      headers: fields,
      body: content.stream(),
      length: content.length,
      release: () => content.close(),
    };
  } catch (error) {
    content.close();
    throw error;
  }
}

export async function handleGetFileProperties(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const found = await getFileProperties(files, {
    ref: readPathRef(request),
    leaseId: readLeaseId(request.headers),
  });
  const { record } = found.inode;
  const headers = fileHeaders(found, request);
  headers["Content-MD5"] = record.headers?.contentMd5;
  return { status: 200, headers, length: record.size };
}
