import { badHeader } from "../../base/refusals.ts";
import type { FileHeaders } from "../../services/file/records.ts";
import type { HttpRequest } from "../exchange.ts";
import { sourceRefusal } from "./copy-source.ts";

/** A file or blob of another server, or a blob of this one, as it answers a GET. */
export interface FetchedSource {
  readonly size: number;
  readonly headers: FileHeaders;
  readonly metadata: Readonly<Record<string, string>>;
  readonly bytes: AsyncIterable<Uint8Array>;
}

const NOTHING: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} };
const META = "x-ms-meta-";

/** Follows no redirects: the address the client gave is the one it answers for. */
export async function fetchSource(request: HttpRequest, url: URL, range?: string): Promise<FetchedSource> {
  const token = request.headers["x-ms-copy-source-authorization"];
  const headers: Record<string, string> = { "x-ms-version": request.version || "2025-05-05" };
  if (token !== undefined) headers.authorization = token;
  if (range !== undefined) headers["x-ms-range"] = range;
  let response: Response;
  try {
    response = await fetch(url, { headers, redirect: "manual" });
  } catch (error) {
    // The network's own words may tell more of it than the client should know.
    if (error instanceof TypeError) throw sourceRefusal(0);
    throw error;
  }
  if (response.status !== 200 && response.status !== 206) {
    await response.body?.cancel();
    throw sourceRefusal(response.status);
  }
  const length = response.headers.get("content-length");
  if (length === null || !/^\d{1,16}$/.test(length)) {
    await response.body?.cancel();
    throw badHeader("x-ms-copy-source", "");
  }
  return {
    size: Number(length),
    headers: headersOf(response.headers),
    metadata: metadataOf(response.headers),
    bytes: (response.body as AsyncIterable<Uint8Array> | null) ?? NOTHING,
  };
}

function headersOf(headers: Response["headers"]): FileHeaders {
  const found: Record<string, string> = {};
  const fields = {
    contentType: "content-type",
    contentEncoding: "content-encoding",
    contentLanguage: "content-language",
    contentDisposition: "content-disposition",
    cacheControl: "cache-control",
    contentMd5: "content-md5",
  } as const;
  for (const [field, name] of Object.entries(fields)) {
    const value = headers.get(name);
    if (value !== null) found[field] = value;
  }
  return found;
}

function metadataOf(headers: Response["headers"]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of headers) if (name.startsWith(META)) found[name.slice(META.length)] = value;
  return found;
}
