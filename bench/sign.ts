import { createHmac } from "node:crypto";

/** Signed requests as a client would send them, ready for the load generator. */
export const ACCOUNT = "devstoreaccount1";
export const KEY = Buffer.from(
  "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
  "base64",
);

export interface PlainRequest {
  readonly method: string;
  /** Below the account, with a leading slash or empty: "/container/blob". */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly service?: "blob" | "queue" | "table" | "file";
}

let counter = 0;

/**
 * The headers of a signed request. Each has its own client request id, so no two signatures are alike.
 * Written from the protocol's description and not with the server's code: it is also what tests check the
 * server with.
 */
export function signedHeaders(request: PlainRequest, account = ACCOUNT, key = KEY): Record<string, string> {
  const { method, path, query = {}, body } = request;
  const headers: Record<string, string> = {
    "x-ms-date": new Date().toUTCString(),
    "x-ms-version": "2025-01-05",
    "x-ms-client-request-id": `00000000-0000-4000-8000-${(++counter).toString(16).padStart(12, "0")}`,
    ...request.headers,
  };
  const resource = `/${account}/${account}${path}`;
  const text =
    request.service === "table"
      ? tableText(method, headers, resource, query)
      : commonText(method, headers, resource, query, body);
  const signature = createHmac("sha256", key).update(text).digest("base64");
  return { Authorization: `SharedKey ${account}:${signature}`, ...headers };
}

export function targetOf({ path, query = {} }: PlainRequest, account = ACCOUNT): string {
  const search = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return `/${account}${path}${search.length === 0 ? "" : `?${search.join("&")}`}`;
}

/** A whole request, ready for the load generator. */
export function signed(request: PlainRequest, port: number): Buffer {
  const { method, body } = request;
  const lines = [
    `${method} ${targetOf(request)} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    ...Object.entries(signedHeaders(request)).map(([name, value]) => `${name}: ${value}`),
  ];
  if (body !== undefined || method === "PUT" || method === "POST") {
    lines.push(`Content-Length: ${body?.length ?? 0}`);
  }
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), body ?? Buffer.alloc(0)]);
}

function header(headers: Readonly<Record<string, string>>, name: string): string {
  for (const key in headers) if (key.toLowerCase() === name) return headers[key]!;
  return "";
}

function commonText(
  method: string,
  headers: Readonly<Record<string, string>>,
  resource: string,
  query: Readonly<Record<string, string>>,
  body: Buffer | undefined,
): string {
  const plain = (name: string): string => header(headers, name);
  // By name, and not by line: "x-ms-range" comes before "x-ms-range-get-content-md5".
  const marked = Object.keys(headers)
    .filter((name) => name.toLowerCase().startsWith("x-ms-"))
    .map((name) => [name.toLowerCase(), headers[name]] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}:${value!.trim().replace(/\s+/g, " ")}`);
  const parameters = Object.keys(query)
    .sort()
    .map((name) => `\n${name.toLowerCase()}:${query[name]}`);
  // What the client says is signed, also where it is wrong.
  const told = plain("content-length") || String(body?.length ?? 0);
  const length = told === "0" ? "" : told;
  const fields = [
    method,
    plain("content-encoding"),
    plain("content-language"),
    length,
    plain("content-md5"),
    plain("content-type"),
    plain("date"),
    plain("if-modified-since"),
    plain("if-match"),
    plain("if-none-match"),
    plain("if-unmodified-since"),
    plain("range"),
    ...marked,
  ];
  return `${fields.join("\n")}\n${resource}${parameters.join("")}`;
}

function tableText(
  method: string,
  headers: Readonly<Record<string, string>>,
  resource: string,
  query: Readonly<Record<string, string>>,
): string {
  const comp = query.comp === undefined ? "" : `?comp=${query.comp}`;
  const fields = [
    method,
    header(headers, "content-md5"),
    header(headers, "content-type"),
    headers["x-ms-date"],
  ];
  return `${fields.join("\n")}\n${resource}${comp}`;
}
