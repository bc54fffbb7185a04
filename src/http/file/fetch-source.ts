import { type IncomingMessage, get as plainGet } from "node:http";
import { get as secureGet } from "node:https";
import { LIMITS } from "../../base/limits.ts";
import { FILE_LIMITS } from "../../base/limits-file.ts";
import { badHeader } from "../../base/refusals.ts";
import type { FileHeaders } from "../../services/file/records.ts";
import type { HttpRequest } from "../exchange.ts";
import { sourceRefusal } from "./copy-source.ts";

/** A file or blob of another server, or a blob of this one, as it answers a GET. */
export interface FetchedSource {
  readonly size: number;
  readonly headers: FileHeaders;
  readonly metadata: Readonly<Record<string, string>>;
  readonly bytes: AsyncIterable<Buffer>;
}

const META = "x-ms-meta-";

/** Bytes as they are stored, encoded or not. Redirects are not followed: the client answers for one address. */
export async function fetchSource(request: HttpRequest, url: URL, range?: string): Promise<FetchedSource> {
  const token = request.headers["x-ms-copy-source-authorization"];
  const headers: Record<string, string> = { "x-ms-version": request.version || "2025-05-05" };
  if (token !== undefined) headers.authorization = token;
  if (range !== undefined) headers["x-ms-range"] = range;
  const response = await answerOf(url, headers);
  const status = response.statusCode ?? 0;
  const length = response.headers["content-length"];
  if (status !== 200 && status !== 206) {
    response.destroy();
    const code = response.headers["x-ms-error-code"];
    const told = typeof code === "string" ? code.slice(0, LIMITS.sourceErrorCodeCharsMax) : undefined;
    throw sourceRefusal(status, told === undefined ? undefined : { code: told });
  }
  if (length === undefined) {
    response.destroy();
    throw badHeader("x-ms-copy-source", "");
  }
  return {
    size: Number(length),
    headers: headersOf(response),
    metadata: metadataOf(response),
    bytes: response as AsyncIterable<Buffer>,
  };
}

function answerOf(url: URL, headers: Record<string, string>): Promise<IncomingMessage> {
  const get = url.protocol === "https:" ? secureGet : plainGet;
  return new Promise((resolve, reject) => {
    const message = get(url, { headers, timeout: FILE_LIMITS.sourceIdleMillis });
    message.on("response", resolve);
    message.on("timeout", () => message.destroy(sourceRefusal(0)));
    // The network's own words may tell more of it than the client should know.
    message.on("error", () => reject(sourceRefusal(0)));
  });
}

const FIELDS = {
  contentType: "content-type",
  contentEncoding: "content-encoding",
  contentLanguage: "content-language",
  contentDisposition: "content-disposition",
  cacheControl: "cache-control",
  contentMd5: "content-md5",
} as const;

function headersOf({ headers }: IncomingMessage): FileHeaders {
  const found: Record<string, string> = {};
  for (const [field, name] of Object.entries(FIELDS)) {
    const value = headers[name];
    if (typeof value === "string") found[field] = value;
  }
  return found;
}

function metadataOf({ headers }: IncomingMessage): Record<string, string> {
  const found: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(META) && typeof value === "string") found.push([name.slice(META.length), value]);
  }
  return Object.fromEntries(found);
}
