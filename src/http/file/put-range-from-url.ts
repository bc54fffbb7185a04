import { collect } from "../../base/bytes.ts";
import { answerOf, badHeader, Refusal, sourceRefusal } from "../../base/refusals.ts";
import { getFile, getFileProperties } from "../../services/file/get-file.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import { checkRangeTarget, type PutRange, putRange } from "../../services/file/put-range.ts";
import { ingest } from "../../services/payload/content.ts";
import { locateCopySource } from "../common/copy-source.ts";
import type { RemoteSource } from "../common/copy-source-fetcher.ts";
import { missingHeader } from "../common/read-headers.ts";
import type { Headers, HttpReply, HttpRequest } from "../exchange.ts";
import { checkBytes } from "../wire/digest.ts";
import { parseRange, resolveRange } from "../wire/range.ts";
import { fileSource, type OwnSource } from "./copy-source.ts";
import { rangeReply, readPutRange } from "./put-range.ts";
import type { FileServices } from "./services.ts";

/** The bytes of the source, as many as the range of the target has. */
async function readSource(request: HttpRequest, services: FileServices, target: PutRange): Promise<Buffer> {
  const length = target.to - target.from;
  const text = request.headers["x-ms-source-range"];
  const range = text === undefined ? { from: 0, to: length - 1 } : parseRange({ "x-ms-range": text });
  if (range?.to === undefined) throw badHeader("x-ms-source-range", text ?? "");
  if (range.to - range.from + 1 !== length) throw badHeader("x-ms-source-range", text ?? "");
  const checkTarget = () => checkRangeTarget(services.files, target);
  const source = await locateCopySource(fileSource(request, services, { isOwnEnough: false }), checkTarget);
  if (source.kind === "elsewhere") return fetchRange(request, services, source, { from: range.from, length });
  await verifySource(services.files, source);
  const { content } = await getFile(services.files, {
    ref: source.ref,
    part: (size) => {
      const { from, to } = resolveRange(range, size);
      return { from, to: to + 1 };
    },
  });
  try {
    return content.whole ?? (await collect(content.stream()));
  } finally {
    content.close();
  }
}

/** Refuses a missing source with the code of a copy and the status of the source. */
async function verifySource(files: FileServices["files"], { ref }: OwnSource): Promise<void> {
  try {
    await getFileProperties(files, { ref });
  } catch (error) {
    if (error instanceof Refusal && error.row.http === 404) throw sourceRefusal(answerOf(error));
    throw error;
  }
}

/** Stops reading a source that sends more than the range. */
async function fetchRange(
  request: HttpRequest,
  { sources }: FileServices,
  source: RemoteSource,
  { from, length }: { readonly from: number; readonly length: number },
): Promise<Buffer> {
  const fetched = await sources.fetch(request, source, { range: `bytes=${from}-${from + length - 1}` });
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of fetched.body) {
      bytes += chunk.length;
      if (bytes > length) throw new Refusal("CannotVerifyCopySource");
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, bytes);
  } finally {
    fetched.close();
  }
}

/** PUT /{share}/{file}?comp=range with x-ms-copy-source */
export async function handlePutRangeFromUrl(
  request: HttpRequest,
  services: FileServices,
): Promise<HttpReply> {
  const { headers } = request;
  const action = headers["x-ms-write"];
  if (action === undefined) throw missingHeader("x-ms-write");
  if (action.toLowerCase() !== "update") throw badHeader("x-ms-write", action);
  const range = readPutRange(request);
  const length = range.to - range.from;
  if (length > FILE_LIMITS.rangeBytesMax) throw new Refusal("RequestBodyTooLarge");
  const bytes = await readSource(request, services, range);
  if (bytes.length !== length) throw badHeader("x-ms-source-range", headers["x-ms-source-range"] ?? "");
  const declared = headers["x-ms-source-content-crc64"];
  const { crc64 } = checkBytes(bytes, {
    declared: declared === undefined ? {} : { crc64: declared },
    wantsCrc64: true,
  });
  checkSourceConditions(headers, crc64!);
  const ingested = await ingest(services.files.parts.payloads, bytes);
  return rangeReply(request, await putRange(services.files, { ...range, bytes: ingested }), {
    crc64,
  });
}

/** The only conditions of this service: on the checksum of the copied bytes. */
function checkSourceConditions(headers: Headers, crc64: string): void {
  const match = headers["x-ms-source-if-match-crc64"];
  const noneMatch = headers["x-ms-source-if-none-match-crc64"];
  if ((match !== undefined && match !== crc64) || noneMatch === crc64) throw new Refusal("ConditionNotMet");
}
