import { type IncomingMessage, request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { systemTimers } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { Refusal, type SourceAnswer, sourceRefusal } from "../../base/refusals.ts";
import type { Headers, HttpRequest } from "../exchange.ts";

/** The source of a copy on another server, its headers read and its body waiting. */
export interface FetchedSource {
  readonly headers: Headers;
  /** Undefined when the other server does not say. */
  readonly length: number | undefined;
  readonly body: AsyncIterable<Buffer>;
  close(): void;
}

interface Wants {
  readonly range?: string | undefined;
  /** What the other server is to know beside the range and who is asking. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What the client is told when the other server says no. */
  readonly refuse?: (answer: SourceAnswer) => Refusal;
}

/** GETs a source from elsewhere. Redirects are not followed: the client named the place that may be read. */
export async function fetchSource(
  request: HttpRequest,
  url: URL,
  { range, headers = {}, refuse = sourceRefusal }: Wants,
): Promise<FetchedSource> {
  const response = await respond(url, { ...headersOf(request, range), ...headers });
  const status = response.statusCode ?? 0;
  if (status !== 200 && status !== 206) {
    response.destroy();
    const told = response.headers["x-ms-error-code"];
    const code = typeof told === "string" ? told.slice(0, LIMITS.sourceErrorCodeCharsMax) : undefined;
    throw refuse({ status, code });
  }
  // A server that knows no ranges sends everything, which is not what was asked for.
  if (range !== undefined && status !== 206) {
    response.destroy();
    throw new Refusal("CannotVerifyCopySource");
  }
  const length = response.headers["content-length"];
  return {
    headers: response.headers as Headers,
    length: length === undefined ? undefined : Number(length),
    body: bodyOf(response),
    close: () => response.destroy(),
  };
}

function headersOf({ headers, version }: HttpRequest, range: string | undefined): Record<string, string> {
  const out: Record<string, string> = { "x-ms-version": version === "" ? "2025-01-05" : version };
  const token = headers["x-ms-copy-source-authorization"];
  if (token !== undefined) out.authorization = token;
  // A file of another account, read with a token: the File service wants to know what for.
  const intent = headers["x-ms-file-request-intent"];
  if (intent !== undefined) out["x-ms-file-request-intent"] = intent;
  if (range !== undefined) {
    out["x-ms-range"] = range;
    out.range = range;
  }
  return out;
}

function respond(url: URL, headers: Record<string, string>): Promise<IncomingMessage> {
  const start = url.protocol === "https:" ? secureRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const message = start(url, { method: "GET", headers, agent: false });
    const timer = systemTimers.after(LIMITS.sourceHeadersMillis, () =>
      message.destroy(new Error("the source did not answer in time")),
    );
    message.setTimeout(LIMITS.sourceIdleMillis, () => message.destroy(new Error("the source fell silent")));
    message.on("response", (response) => {
      timer.cancel();
      resolve(response);
    });
    // Unreachable, not speaking HTTP, or gone: all the client can be told is that it could not be read.
    message.on("error", () => {
      timer.cancel();
      reject(new Refusal("CannotVerifyCopySource"));
    });
    message.end();
  });
}

async function* bodyOf(response: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const piece of response as AsyncIterable<Buffer>) yield piece;
  } catch {
    throw new Refusal("CannotVerifyCopySource");
  }
  if (!response.complete) throw new Refusal("CannotVerifyCopySource");
}

const META = "x-ms-meta-";

/** The metadata that a source brings along. */
export function fetchedMetadata({ headers }: FetchedSource): Record<string, string> {
  const found: [string, string][] = [];
  for (const name in headers) {
    const value = headers[name];
    if (name.startsWith(META) && value !== undefined) found.push([name.slice(META.length), value]);
  }
  return Object.fromEntries(found);
}

const PROPERTIES = {
  contentType: "content-type",
  contentEncoding: "content-encoding",
  contentLanguage: "content-language",
  contentDisposition: "content-disposition",
  cacheControl: "cache-control",
  contentMd5: "content-md5",
} as const;

/** The properties that a source has as any HTTP server tells them: blobs and files name them alike. */
export function fetchedProperties({
  headers,
}: FetchedSource): Partial<Record<keyof typeof PROPERTIES, string>> {
  const found: [string, string][] = [];
  for (const [field, name] of Object.entries(PROPERTIES)) {
    const value = headers[name];
    if (value !== undefined) found.push([field, value]);
  }
  return Object.fromEntries(found);
}
