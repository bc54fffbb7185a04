import { answerOf, badHeader, Refusal, type SourceAnswer, sourceRefusal } from "../../base/refusals.ts";
import type { SourceUse } from "../../concurrency/conditions.ts";
import { type LocalSource, openSource } from "../../services/blob/copy-source.ts";
import type { EncryptionOptions } from "../../services/blob/new-blob.ts";
import type { BlobHttpHeaders } from "../../services/blob/records.ts";
import type { SliceRange } from "../../services/payload/payloads.ts";
import { locateCopySource } from "../common/copy-source.ts";
import type { RemoteSource } from "../common/copy-source-fetcher.ts";
import { type FetchedSource, fetchedProperties } from "../common/fetched-source.ts";
import { bodyTooLarge } from "../common/read-headers.ts";
import type { Headers, HttpRequest, ReplyHeaders } from "../exchange.ts";
import {
  type CheckedBody,
  checkedBody,
  type DeclaredDigest,
  isMd5Base64,
  readDeclaredDigest,
} from "../wire/digest.ts";
import { parseRange } from "../wire/range.ts";
import { blobSource } from "./copy-source.ts";
import type { BlobServices } from "./services.ts";

/**
 * The reply to a write from a URL has one digest: the MD5 if the client declared it or the operation computed
 * it, otherwise the CRC64.
 */
export function sourceDigests({ headers }: HttpRequest, { body }: SourceBody): ReplyHeaders {
  const md5 = headers["x-ms-source-content-md5"] ?? (body.crc64 === undefined ? body.md5 : undefined);
  return md5 === undefined ? { "x-ms-content-crc64": body.crc64 } : { "Content-MD5": md5 };
}

/** Pages and appended blocks: what is written with a customer's key or a scope has an MD5. */
export function digestsOfPart({ keySha256, scope }: EncryptionOptions): Pick<SourceOptions, "md5" | "crc64"> {
  const isEncrypted = keySha256 !== undefined || scope !== undefined;
  return { md5: isEncrypted, crc64: !isEncrypted };
}

/** The content of a source, on this server or elsewhere, and what its headers say. */
export interface SourceBody {
  readonly body: CheckedBody;
  /** Undefined when another server sends no length. */
  readonly length: number | undefined;
  readonly http: BlobHttpHeaders;
  readonly tags: Readonly<Record<string, string>> | undefined;
  close(): void;
}

export interface SourceOptions {
  readonly use: SourceUse;
  readonly bytesMax: number;
  readonly md5?: boolean;
  readonly crc64?: boolean;
  /** Refuses a target that cannot be written; runs before anything is fetched. */
  readonly checkTarget: () => Promise<void>;
}

/**
 * Opens x-ms-copy-source, or the x-ms-source-range of it, for reading. A blob of this server is read in a
 * snapshot of the store, any other source over HTTP. The body checks the digests that the client declared.
 */
export async function openSourceBody(
  request: HttpRequest,
  services: BlobServices,
  options: SourceOptions,
): Promise<SourceBody> {
  if (request.body.length !== 0) throw badHeader("Content-Length", String(request.body.length ?? ""));
  const digest = readSourceDigest(request.headers);
  const range = readSourceRange(request.headers);
  const source = await locateCopySource(blobSource(request, services), options.checkTarget);
  const opened =
    source.kind === "here"
      ? await openHere(services, source, range, options)
      : await openElsewhere(request, services, source, range, options);
  if (opened.length !== undefined && opened.length > options.bytesMax) {
    opened.close();
    throw bodyTooLarge(options.bytesMax);
  }
  const body = checkedBody(limited(opened.bytes, options.bytesMax), {
    declared: digest,
    wantsMd5: options.md5 ?? false,
    wantsCrc64: options.crc64 ?? false,
  });
  return { body, length: opened.length, http: opened.http, tags: opened.tags, close: opened.close };
}

type Range = ReturnType<typeof parseRange>;

interface Opened extends Omit<SourceBody, "body"> {
  readonly bytes: AsyncIterable<Buffer>;
}

async function openHere(
  { blobs }: BlobServices,
  source: LocalSource,
  range: Range,
  { use }: SourceOptions,
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
  { use }: SourceOptions,
): Promise<Opened> {
  const header = range === undefined ? undefined : `bytes=${range.from}-${range.to ?? ""}`;
  const fetched = await fetchBlobSource(request, services, source, { use, range: header });
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

/** x-ms-source-content-md5 or -crc64: the digest that the client declares of the source. */
export function readSourceDigest(headers: Headers): DeclaredDigest {
  const md5 = headers["x-ms-source-content-md5"];
  const crc64 = headers["x-ms-source-content-crc64"];
  if (md5 !== undefined && !isMd5Base64(md5)) throw badHeader("x-ms-source-content-md5", md5, "InvalidMd5");
  return readDeclaredDigest({ "content-md5": md5, "x-ms-content-crc64": crc64 });
}

async function* limited(bytes: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer> {
  let count = 0;
  for await (const chunk of bytes) {
    count += chunk.length;
    if (count > bytesMax) throw bodyTooLarge(bytesMax);
    yield chunk;
  }
}

/**
 * Fetches a blob from elsewhere. The other server checks the conditions on it; its refusal becomes ours, with
 * the code that the operation has for it.
 */
export function fetchBlobSource(
  request: HttpRequest,
  { sources }: BlobServices,
  source: RemoteSource,
  options: { readonly use: SourceUse; readonly range?: string | undefined; readonly isBackground?: boolean },
): Promise<FetchedSource> {
  const { headers } = request;
  const { use, range, isBackground = false } = options;
  return sources.fetch(request, source, {
    range,
    isBackground,
    headers: conditionsAndKey(headers),
    refuse: (answer) => refusalOf(answer, headers, use),
  });
}

const CONDITIONS = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-tags"];

function conditionsAndKey(headers: Headers): Record<string, string> {
  const out: Record<string, string> = {};
  for (const name of CONDITIONS) {
    const value = headers[`x-ms-source-${name}`];
    if (value !== undefined) out[name === "if-tags" ? "x-ms-if-tags" : name] = value;
  }
  for (const name of ["key", "key-sha256", "algorithm"]) {
    const value = headers[`x-ms-source-encryption-${name}`];
    if (value !== undefined) out[`x-ms-encryption-${name}`] = value;
  }
  return out;
}

function refusalOf(answer: SourceAnswer, headers: Headers, use: SourceUse): Refusal {
  const { status } = answer;
  const isEtag = use !== "partFromUrl" && status === 412 && headers["x-ms-source-if-match"] !== undefined;
  const isOfCopy = use === "copy" && (status === 304 || status === 412);
  return isEtag || isOfCopy ? new Refusal("SourceConditionNotMet") : sourceRefusal(answer);
}
