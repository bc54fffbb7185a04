import type { IncomingHttpHeaders } from "node:http";
import { signedHeaders, targetOf } from "../../bench/sign.ts";
import { transmit } from "./send.ts";
import type { TestServer } from "./server.ts";

/** Requests that an SDK cannot or will not send, signed as an SDK would. */
export interface RawRequest {
  readonly method?: string;
  /** Below the account, encoded: "/container/blob". */
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /** "none": no Authorization header, for anonymous and SAS callers. */
  readonly sign?: "key" | "none";
}

export interface RawReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
  /** As in `send`. */
  readonly code: string | undefined;
}

export async function raw(server: TestServer, given: RawRequest): Promise<RawReply> {
  const { method = "GET", path = "", query = {}, sign = "key" } = given;
  const body = typeof given.body === "string" ? Buffer.from(given.body) : given.body;
  const headers: Record<string, string> = {
    "x-ms-date": new Date(server.clock.now()).toUTCString(),
    "x-ms-version": "2025-01-05",
  };
  for (const [name, value] of Object.entries(given.headers ?? {})) headers[name.toLowerCase()] = value;
  if (body !== undefined || method === "PUT" || method === "POST")
    headers["content-length"] ??= String(body?.length ?? 0);
  const request = { method, path, query, headers, ...(body === undefined ? {} : { body }) };
  const { bytes, ...reply } = await transmit(server.endpoints.blob, {
    method,
    target: targetOf(request, server.account),
    headers:
      sign === "none" ? headers : signedHeaders(request, server.account, Buffer.from(server.key, "base64")),
    body,
  });
  return { ...reply, body: bytes, text: bytes.toString() };
}
