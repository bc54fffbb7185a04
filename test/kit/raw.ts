import { createHmac } from "node:crypto";
import { type IncomingHttpHeaders, request as send } from "node:http";
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
  /** x-ms-error-code */
  readonly code: string | undefined;
}

const SIGNED = [
  "content-encoding",
  "content-language",
  "content-length",
  "content-md5",
  "content-type",
  "date",
  "if-modified-since",
  "if-match",
  "if-none-match",
  "if-unmodified-since",
  "range",
];

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
  const rawPath = `/${server.account}${path}`;
  if (sign === "key") headers.authorization = authorization(server, method, rawPath, query, headers);
  const search = Object.entries(query)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
  const { hostname, port } = new URL(server.endpoints.blob);
  return new Promise((resolve, reject) => {
    const target = `${rawPath}${search === "" ? "" : `?${search}`}`;
    const outgoing = send({ hostname, port, method, path: target, headers }, (incoming) => {
      const pieces: Buffer[] = [];
      incoming.on("data", (piece: Buffer) => pieces.push(piece));
      incoming.on("error", reject);
      incoming.on("end", () => {
        const bytes = Buffer.concat(pieces);
        const code = incoming.headers["x-ms-error-code"];
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body: bytes,
          text: bytes.toString(),
          code: typeof code === "string" ? code : undefined,
        });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function authorization(
  server: TestServer,
  method: string,
  rawPath: string,
  query: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
): string {
  const plain = SIGNED.map((name) =>
    name === "content-length" && headers[name] === "0" ? "" : (headers[name] ?? ""),
  );
  const marked = Object.keys(headers)
    .filter((name) => name.startsWith("x-ms-"))
    .sort()
    .map((name) => `${name}:${headers[name]!.trim().replace(/\s+/g, " ")}`);
  const parameters = Object.keys(query)
    .sort()
    .map((name) => `${name.toLowerCase()}:${query[name]}`);
  const resource = `/${server.account}${rawPath}`;
  const text = [method, ...plain, ...marked, resource, ...parameters].join("\n");
  const signature = createHmac("sha256", Buffer.from(server.key, "base64")).update(text).digest("base64");
  return `SharedKey ${server.account}:${signature}`;
}
