import { badHeader, Refusal } from "../../base/refusals.ts";
import { md5Batched } from "../../digest/md5-batch.ts";
import { createFile } from "../../services/file/create-file.ts";
import type { InodeChanges } from "../../services/file/inode-changes.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import { ingest } from "../../services/payload/content.ts";
import { mayOverwrite } from "../auth/caller.ts";
import { missingHeader, readLeaseId } from "../common/read-headers.ts";
import type { Headers, HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import { STRUCTURED_BODY } from "../wire/structured-body.ts";
import { readChanges, readFileSize, readFirstHeaders, readPathRef } from "./read-request.ts";
import { changedHeaders } from "./replies.ts";
import type { FileServices } from "./services.ts";

const FIRST_BYTES_SINCE = "2026-02-06";

/** PUT /{share}/{file} with x-ms-type: file */
export async function handleCreateFile(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
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
  let digested: Buffer | undefined;
  if (body.length !== 0) {
    if (request.version < FIRST_BYTES_SINCE)
      throw badHeader("Content-Length", headers["content-length"] ?? "");
    const bytes = await body.read(FILE_LIMITS.rangeBytesMax);
    if (bytes.length > size) throw new Refusal("InvalidRange");
    if (bytes.length <= FILE_LIMITS.reportedDigestBytesMax) digested = bytes;
    first = await ingest(files.parts.payloads, bytes);
  }
  const inode = await createFile(files, {
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
  const reply = changedHeaders(inode, request);
  if (first !== undefined)
    reply["Content-MD5"] =
      headers["content-md5"] ?? (digested === undefined ? undefined : await md5Batched(digested));
  if (headers["x-ms-structured-body"] !== undefined) reply["x-ms-structured-body"] = STRUCTURED_BODY;
  return { status: 201, headers: reply };
}

/** x-ms-file-property-semantics: New, or Restore, which needs a permission to have an effect. */
function isRestored(headers: Headers, { permission }: InodeChanges): boolean {
  const name = "x-ms-file-property-semantics";
  const semantics = headers[name]?.toLowerCase() ?? "new";
  if (semantics !== "new" && semantics !== "restore") throw badHeader(name, semantics);
  return semantics === "restore" && typeof permission === "object";
}
