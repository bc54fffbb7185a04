import { collect } from "../../base/bytes.ts";
import { badHeader, Refusal } from "../../base/refusals.ts";
import { instantOf } from "../../base/revision.ts";
import { type Lease, leaseStatus } from "../../concurrency/lease.ts";
import { md5Batched } from "../../digest/md5-batch.ts";
import { createFile as create } from "../../services/file/create-file.ts";
import { deleteFile as remove } from "../../services/file/delete-file.ts";
import {
  setFileMetadata as setMetadata,
  setFileProperties as setProperties,
} from "../../services/file/file-properties.ts";
import {
  type FileState,
  getFile as get,
  getFileProperties as getProperties,
} from "../../services/file/get-file.ts";
import type { InodeChanges } from "../../services/file/inode-changes.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import { ingest } from "../../services/payload/content.ts";
import { mayOverwrite } from "../auth/caller.ts";
import type { Headers, HttpReply, HttpRequest } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";
import { checkBytes } from "../wire/digest.ts";
import { printMetadata, readMetadata } from "../wire/metadata.ts";
import { parseRange, printContentRange, rangeDigestOf, resolveRange } from "../wire/range.ts";
import {
  encodeStructuredBody,
  STRUCTURED_BODY,
  structuredLength,
  wantsStructuredBody,
} from "../wire/structured-body.ts";
import {
  DEFAULT_CONTENT_TYPE,
  missingHeader,
  readChanges,
  readFileHeaders,
  readFileSize,
  readFirstHeaders,
  readLeaseId,
  readPathRef,
} from "./read-request.ts";
import {
  changedHeaders,
  contentHeaders,
  copyHeaders,
  printAttributes,
  printTicks,
  quotedEtag,
  stamp,
} from "./replies.ts";
import { type FileRow, type FileServices, getAndHead, onInode, row } from "./rows.ts";

/** Files as a whole: create, read, change, delete. */
const FIRST_BYTES_SINCE = "2026-02-06";

async function createFile(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const { headers, body } = request;
  const type = headers["x-ms-type"];
  if (type === undefined) throw missingHeader("x-ms-type");
  if (type.toLowerCase() !== "file") throw badHeader("x-ms-type", type);
  const size = readFileSize(headers);
  if (size === undefined) throw missingHeader("x-ms-content-length");
  const ref = readPathRef(request);
  const requested = readChanges(headers);
  const fileHeaders = readFirstHeaders(headers);
  const metadata = readMetadata(request.rawHeaders);
  const leaseId = readLeaseId(headers);
  let first: Awaited<ReturnType<typeof ingest>> | undefined;
  let told: Buffer | undefined;
  if (body.length !== 0) {
    if (request.version < FIRST_BYTES_SINCE)
      throw badHeader("Content-Length", headers["content-length"] ?? "");
    const bytes = await body.read(FILE_LIMITS.rangeBytesMax);
    if (bytes.length > size) throw new Refusal("InvalidRange");
    if (bytes.length <= FILE_LIMITS.reportedDigestBytesMax) told = bytes;
    first = await ingest(files.parts.payloads, bytes);
  }
  const inode = await create(files, {
    ref,
    size,
    requested,
    headers: fileHeaders,
    metadata,
    leaseId,
    mayOverwrite: mayOverwrite(request.caller),
    isRestored: isRestored(headers, requested),
    first,
  });
  const made = changedHeaders(inode);
  if (first !== undefined)
    made["Content-MD5"] = headers["content-md5"] ?? (told === undefined ? undefined : await md5Batched(told));
  if (headers["x-ms-structured-body"] !== undefined) made["x-ms-structured-body"] = STRUCTURED_BODY;
  return { status: 201, headers: made };
}

/** x-ms-file-property-semantics: New, or Restore, which counts only along with a permission. */
function isRestored(headers: Headers, { permission }: InodeChanges): boolean {
  const name = "x-ms-file-property-semantics";
  const semantics = headers[name]?.toLowerCase() ?? "new";
  if (semantics !== "new" && semantics !== "restore") throw badHeader(name, semantics);
  return semantics === "restore" && typeof permission === "object";
}

/** One literal, not many spread together: this is built for every read. */
function fileHeaders({ inode, now }: FileState, request: HttpRequest): Record<string, string | undefined> {
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
async function getFile(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const { headers } = request;
  const wanted = parseRange(headers);
  const isStructured = wantsStructuredBody(headers);
  const found = await get(files, {
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

async function getFileProperties(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const found = await getProperties(files, {
    ref: readPathRef(request),
    leaseId: readLeaseId(request.headers),
  });
  const { record } = found.inode;
  const headers = fileHeaders(found, request);
  headers["Content-MD5"] = record.headers?.contentMd5;
  return { status: 200, headers, length: record.size };
}

async function getFileMetadata(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const { inode } = await getProperties(files, {
    ref: readPathRef(request),
    leaseId: readLeaseId(request.headers),
  });
  const { record } = inode;
  return { status: 200, headers: { ...stamp(record.revision), ...printMetadata(record.metadata ?? {}) } };
}

async function setFileProperties(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const { headers } = request;
  const size = readFileSize(headers);
  const inode = await setProperties(files, {
    ref: readPathRef(request),
    leaseId: readLeaseId(headers),
    requested: readChanges(headers),
    // A change of size alone leaves them; otherwise what is not named is cleared, and be it all of them.
    headers: readFileHeaders(headers) ?? (size === undefined ? {} : undefined),
    size,
  });
  return { status: 200, headers: changedHeaders(inode) };
}

async function setFileMetadata(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const revision = await setMetadata(files, {
    ref: readPathRef(request),
    leaseId: readLeaseId(request.headers),
    metadata: readMetadata(request.rawHeaders),
  });
  return { status: 200, headers: { ...stamp(revision), "x-ms-request-server-encrypted": "true" } };
}

async function deleteFile(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  await remove(files, { ref: readPathRef(request), leaseId: readLeaseId(request.headers) });
  return { status: 202 };
}

const resource = "file" as const;

export const FILE_ROWS: readonly FileRow[] = [
  row({
    name: "CreateFile",
    method: "PUT",
    resource,
    permission: onInode(["c", "w"]),
    returnsEtag: true,
    lease: "checked",
    body: "stream",
    bodyBytesMax: FILE_LIMITS.rangeBytesMax,
    ok: [201],
    handle: createFile,
  }),
  row({
    name: "GetFile",
    method: "GET",
    resource,
    permission: onInode(["r"]),
    returnsEtag: true,
    lease: "checked",
    ok: [200, 206],
    handle: getFile,
  }),
  row({
    name: "GetFileProperties",
    method: "HEAD",
    resource,
    permission: onInode(["r"]),
    returnsEtag: true,
    lease: "checked",
    handle: getFileProperties,
  }),
  ...getAndHead({
    name: "GetFileMetadata",
    resource,
    query: { comp: "metadata" },
    permission: onInode(["r"]),
    returnsEtag: true,
    lease: "checked",
    handle: getFileMetadata,
  }),
  row({
    name: "SetFileProperties",
    method: "PUT",
    resource,
    query: { comp: "properties" },
    permission: onInode(["w"]),
    returnsEtag: true,
    lease: "checked",
    handle: setFileProperties,
  }),
  row({
    name: "SetFileMetadata",
    method: "PUT",
    resource,
    query: { comp: "metadata" },
    permission: onInode(["w"]),
    returnsEtag: true,
    lease: "checked",
    handle: setFileMetadata,
  }),
  row({
    name: "DeleteFile",
    method: "DELETE",
    resource,
    permission: onInode(["d"]),
    lease: "checked",
    ok: [202],
    handle: deleteFile,
  }),
];
