import { LIMITS } from "../../base/limits.ts";
import { badHeader, Refusal } from "../../base/refusals.ts";
import { instantOf } from "../../base/revision.ts";
import { quotedEtag } from "../../concurrency/etag.ts";
import { md5Batched } from "../../digest/md5-batch.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import { clearRange, type PutRange, putRange, type RangePut } from "../../services/file/put-range.ts";
import { ingest } from "../../services/payload/content.ts";
import { missingHeader, readLeaseId } from "../common/read-headers.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";
import { requireRange } from "../wire/range.ts";
import { isSince } from "../wire/since.ts";
import { STRUCTURED_BODY } from "../wire/structured-body.ts";
import { readPathRef } from "./read-request.ts";
import { printTicks } from "./replies.ts";
import type { FileServices } from "./services.ts";

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
  { version }: HttpRequest,
  { revision, writtenAt }: RangePut,
  more: {
    readonly md5?: string | undefined;
    readonly crc64?: string | undefined;
    readonly isStructured?: boolean;
    readonly isCleared?: boolean;
  },
): HttpReply {
  const headers: Record<string, string | undefined> = {
    ETag: quotedEtag(revision),
    "Last-Modified": printHttpDate(instantOf(revision)),
  };
  if (more.isCleared !== true) headers["x-ms-request-server-encrypted"] = "true";
  if (isSince(version, "rangeWriteTime")) headers["x-ms-file-last-write-time"] = printTicks(writtenAt);
  if (more.md5 !== undefined) headers["Content-MD5"] = more.md5;
  if (more.crc64 !== undefined) headers["x-ms-content-crc64"] = more.crc64;
  if (more.isStructured === true) headers["x-ms-structured-body"] = STRUCTURED_BODY;
  return { status: 201, headers };
}

/** PUT /{share}/{file}?comp=range */
export async function handlePutRange(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const { headers, body } = request;
  const action = headers["x-ms-write"]?.toLowerCase();
  if (action === undefined) throw missingHeader("x-ms-write");
  const range = readPutRange(request);
  if (action === "clear") {
    const md5 = headers["content-md5"];
    if (md5 !== undefined) throw badHeader("Content-MD5", md5);
    if (body.length !== 0) throw badHeader("Content-Length", headers["content-length"] ?? "");
    return rangeReply(request, await clearRange(files, range), { isCleared: true });
  }
  if (action !== "update") throw badHeader("x-ms-write", headers["x-ms-write"]!);
  if (body.length === undefined)
    throw new Refusal("MissingContentLengthHeader", { elements: { HeaderName: "Content-Length" } });
  if (range.to - range.from > FILE_LIMITS.rangeBytesMax) throw new Refusal("RequestBodyTooLarge");
  if (body.length !== range.to - range.from) throw badHeader("x-ms-range", headers["x-ms-range"] ?? "");
  // For a small body a stream would cost more than the bytes.
  const isSmall = body.length <= LIMITS.inlineBytesMax;
  const content = isSmall
    ? await body.read(LIMITS.inlineBytesMax)
    : body.stream({ md5: body.length <= FILE_LIMITS.reportedDigestBytesMax });
  const bytes = await ingest(files.parts.payloads, content, body.length);
  const { ref, leaseId, from, to, keepsWriteTime } = range;
  const done = await putRange(files, { ref, leaseId, from, to, keepsWriteTime, bytes });
  return rangeReply(request, done, {
    md5: Buffer.isBuffer(content) ? await md5Batched(content) : content.md5,
    isStructured: headers["x-ms-structured-body"] !== undefined,
  });
}
