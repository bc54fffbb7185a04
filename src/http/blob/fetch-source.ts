import { type IncomingMessage, request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { systemTimers } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { BLOB_LIMITS } from "../../base/limits-blob.ts";
import { Refusal, type RefusalCode } from "../../base/refusals.ts";
import type { SourceUse } from "../../concurrency/conditions.ts";
import type { Headers, HttpRequest } from "../exchange.ts";

/** A source on another server, its headers read and its body waiting. */
export interface FetchedSource {
  readonly headers: Headers;
  /** Undefined when the other server does not say. */
  readonly length: number | undefined;
  readonly body: AsyncIterable<Buffer>;
  close(): void;
}

const CONDITIONS = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-tags"];

/**
 * GETs a source from elsewhere. The conditions on it are for the other server to judge; its "no" becomes ours, in
 * the words each operation has for it. Redirects are not followed: the client named the place that may be read.
 */
export async function fetchSource(
  request: HttpRequest,
  url: URL,
  { use, range }: { readonly use: SourceUse; readonly range?: string | undefined },
): Promise<FetchedSource> {
  const headers = sourceHeaders(request, range);
  const response = await respond(url, headers);
  const status = response.statusCode ?? 0;
  if (status !== 200 && status !== 206) {
    response.destroy();
    throw refusalOf(response, request.headers, use);
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

function sourceHeaders(request: HttpRequest, range: string | undefined): Record<string, string> {
  const { headers, version } = request;
  const out: Record<string, string> = { "x-ms-version": version === "" ? "2025-01-05" : version };
  const token = headers["x-ms-copy-source-authorization"];
  if (token !== undefined) out.authorization = token;
  // A file of another account, read with a token: the File service wants to know what for.
  const intent = headers["x-ms-file-request-intent"];
  if (intent !== undefined) out["x-ms-file-request-intent"] = intent;
  if (range !== undefined) out["x-ms-range"] = range;
  if (range !== undefined) out.range = range;
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

function respond(url: URL, headers: Record<string, string>): Promise<IncomingMessage> {
  const start = url.protocol === "https:" ? secureRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const message = start(url, { method: "GET", headers, agent: false });
    const timer = systemTimers.after(BLOB_LIMITS.sourceHeadersMillis, () =>
      message.destroy(new Error("the source did not answer in time")),
    );
    message.setTimeout(BLOB_LIMITS.sourceIdleMillis, () =>
      message.destroy(new Error("the source fell silent")),
    );
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

const CODES: Readonly<Record<number, RefusalCode>> = {
  304: "CopySourceNotModified",
  400: "CopySourceBadRequest",
  401: "CopySourceUnauthenticated",
  403: "CopySourceForbidden",
  404: "CopySourceNotFound",
  409: "CopySourceConflict",
  412: "CopySourcePreconditionFailed",
  416: "CopySourceBadRange",
};

function refusalOf(response: IncomingMessage, headers: Headers, use: SourceUse): Refusal {
  const status = response.statusCode ?? 0;
  const told = response.headers["x-ms-error-code"];
  const hasEtag = (name: string): boolean => headers[`x-ms-source-${name}`] !== undefined;
  if (use !== "partFromUrl") {
    const isEtag = (status === 412 && hasEtag("if-match")) || (status === 304 && hasEtag("if-none-match"));
    if (isEtag || (use === "copy" && (status === 304 || status === 412))) {
      return new Refusal("SourceConditionNotMet");
    }
  }
  const code = typeof told === "string" ? told.slice(0, LIMITS.sourceErrorCodeCharsMax) : undefined;
  return new Refusal(CODES[status] ?? "CannotVerifyCopySource", {
    elements: {
      CopySourceStatusCode: String(status),
      ...(code === undefined ? {} : { CopySourceErrorCode: code }),
    },
    headers: {
      "x-ms-copy-source-status-code": String(status),
      ...(code === undefined ? {} : { "x-ms-copy-source-error-code": code }),
    },
  });
}
