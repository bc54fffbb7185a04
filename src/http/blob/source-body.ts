import { answerOf, badHeader, Refusal, sourceRefusal } from "../../base/refusals.ts";
import type { SourceUse } from "../../concurrency/conditions.ts";
import { openSource } from "../../services/blob/open-source.ts";
import type { BlobHttpHeaders } from "../../services/blob/records.ts";
import type { SliceRange } from "../../services/payload/payloads.ts";
import type { RemoteSource } from "../common/copy-source-fetcher.ts";
import { fetchedProperties } from "../common/fetched-source.ts";
import type { Headers, HttpRequest, ReplyHeaders } from "../exchange.ts";
import {
  type CheckedBody,
  checkedBody,
  type DeclaredDigest,
  isMd5Base64,
  readDeclaredDigest,
} from "../wire/digest.ts";
import { parseRange } from "../wire/range.ts";
import { readCopySource } from "./copy-source.ts";
import { fetchBlobSource } from "./fetch-source.ts";
import type { BlobServices } from "./services.ts";

export function sourceDigests({ headers }: HttpRequest, { body }: SourceBody): ReplyHeaders {
  const md5 = headers["x-ms-source-content-md5"];
  return md5 === undefined ? { "x-ms-content-crc64": body.crc64 } : { "Content-MD5": md5 };
}

/** The bytes of a source, wherever it is, and what is known of it before they flow. */
export interface SourceBody {
  readonly body: CheckedBody;
  /** Undefined when a source elsewhere does not say. */
  readonly length: number | undefined;
  readonly http: BlobHttpHeaders;
  readonly tags: Readonly<Record<string, string>> | undefined;
  close(): void;
}

export interface SourceWants {
  readonly use: SourceUse;
  readonly bytesMax: number;
  readonly md5?: boolean;
  readonly crc64?: boolean;
  /** Whether what is to be written could be: asked before anything is fetched. */
  readonly checkTarget: () => Promise<void>;
}

/**
 * Opens x-ms-copy-source, or the x-ms-source-range of it, for reading. A blob of this server is read from its
 * own snapshot; anything else comes over HTTP. Digests the client declared of it are checked as it passes.
 */
export async function openSourceBody(
  request: HttpRequest,
  services: BlobServices,
  wants: SourceWants,
): Promise<SourceBody> {
  if (request.body.length !== 0) throw badHeader("Content-Length", String(request.body.length ?? ""));
  const digest = readSourceDigest(request.headers);
  const range = readSourceRange(request.headers);
  const source = await readCopySource(request, services, wants.checkTarget);
  const opened =
    source.kind === "here"
      ? await openHere(services, source, range, wants)
      : await openElsewhere(request, services, source, range, wants);
  if (opened.length !== undefined && opened.length > wants.bytesMax) {
    opened.close();
    throw tooLarge(wants.bytesMax);
  }
  const body = checkedBody(limited(opened.bytes, wants.bytesMax), {
    declared: digest,
    wantsMd5: wants.md5 ?? false,
    wantsCrc64: wants.crc64 ?? false,
  });
  return { body, length: opened.length, http: opened.http, tags: opened.tags, close: opened.close };
}

type Range = ReturnType<typeof parseRange>;

interface Opened extends Omit<SourceBody, "body"> {
  readonly bytes: AsyncIterable<Buffer>;
}

async function openHere(
  { blobs }: BlobServices,
  source: Extract<Awaited<ReturnType<typeof readCopySource>>, { readonly kind: "here" }>,
  range: Range,
  { use }: SourceWants,
): Promise<Opened> {
  const rangeOf = (length: number): SliceRange => {
    if (range === undefined) return { from: 0, length };
    if (range.from >= length) throw sourceRefusal(answerOf(new Refusal("InvalidRange")));
    const to = Math.min(range.to ?? length - 1, length - 1);
    return { from: range.from, length: to - range.from + 1 };
  };
  const { record, range: part, payload } = await openSource(blobs, source, { use, rangeOf });
  return {
    bytes: payload.stream(part.from, part.length),
    length: part.length,
    http: record.http,
    tags: record.tags,
    close: () => payload.close(),
  };
}

async function openElsewhere(
  request: HttpRequest,
  services: BlobServices,
  source: RemoteSource,
  range: Range,
  { use }: SourceWants,
): Promise<Opened> {
  const asked = range === undefined ? undefined : `bytes=${range.from}-${range.to ?? ""}`;
  const fetched = await fetchBlobSource(request, services, source, { use, range: asked });
  return {
    bytes: fetched.body,
    length: fetched.length,
    http: fetchedProperties(fetched),
    tags: undefined,
    close: fetched.close,
  };
}

function readSourceRange(headers: Headers): Range {
  const text = headers["x-ms-source-range"];
  if (text === undefined) return undefined;
  const range = parseRange({ "x-ms-range": text });
  if (range === undefined) throw badHeader("x-ms-source-range", text);
  return range;
}

/** x-ms-source-content-md5 or -crc64: what the client says the source's bytes are. */
export function readSourceDigest(headers: Headers): DeclaredDigest {
  const md5 = headers["x-ms-source-content-md5"];
  const crc64 = headers["x-ms-source-content-crc64"];
  if (md5 !== undefined && !isMd5Base64(md5)) throw badHeader("x-ms-source-content-md5", md5, "InvalidMd5");
  return readDeclaredDigest({ "content-md5": md5, "x-ms-content-crc64": crc64 });
}

function tooLarge(bytesMax: number): Refusal {
  return new Refusal("RequestBodyTooLarge", { elements: { MaxLimit: String(bytesMax) } });
}

async function* limited(bytes: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer> {
  let count = 0;
  for await (const piece of bytes) {
    count += piece.length;
    if (count > bytesMax) throw tooLarge(bytesMax);
    yield piece;
  }
}
