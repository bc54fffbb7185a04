import { createHmac } from "node:crypto";
import { request } from "node:http";
import type { TestServer } from "./server.ts";

/** One request as it stands on the wire, for what an SDK would not send or not show. Signed with the account key. */
export interface RawRequest {
  readonly method: string;
  /** Below the account, encoded: "/queue/messages". */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** A SAS to send instead of a signature, or nothing at all. */
  readonly sas?: string;
  readonly isAnonymous?: boolean;
}

export interface RawReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** The content of the first element of that name, references left as they are. */
  element(name: string): string | undefined;
}

export function sendRaw(
  server: TestServer,
  service: "blob" | "queue" | "file",
  raw: RawRequest,
): Promise<RawReply> {
  const { method, path, query = {}, sas } = raw;
  const body = Buffer.from(raw.body ?? "");
  const headers: Record<string, string> = {
    "x-ms-date": new Date(server.clock.now()).toUTCString(),
    "x-ms-version": "2025-01-05",
    ...raw.headers,
    "content-length": String(body.length),
  };
  if (sas === undefined && raw.isAnonymous !== true) {
    headers.authorization = `SharedKey ${server.account}:${signatureOf(server, raw, headers, body.length)}`;
  }
  const search = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  if (sas !== undefined) search.push(sas);
  const url = `${server.endpoints[service]}/${server.account}${path}?${search.join("&")}`;
  return new Promise((resolve, reject) => {
    const message = request(url, { method, headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("end", () => {
        const text = Buffer.concat(pieces).toString();
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: text,
          element: (name) => new RegExp(`<${name}>(.*?)</${name}>`, "s").exec(text)?.[1],
        });
      });
      response.on("error", reject);
    });
    message.on("error", reject);
    message.end(body);
  });
}

function signatureOf(
  server: TestServer,
  { method, path, query = {} }: RawRequest,
  headers: Readonly<Record<string, string>>,
  length: number,
): string {
  const marked = Object.keys(headers)
    .filter((name) => name.toLowerCase().startsWith("x-ms-"))
    .map((name) => `${name.toLowerCase()}:${headers[name]!.trim()}`)
    .sort();
  const parameters = Object.keys(query)
    .sort()
    .map((name) => `\n${name.toLowerCase()}:${query[name]}`);
  const plain = ["content-encoding", "content-language"].map((name) => headers[name] ?? "");
  const typed = ["content-md5", "content-type"].map((name) => headers[name] ?? "");
  const fields = [method, ...plain, length === 0 ? "" : String(length), ...typed, "", "", "", "", "", ""];
  const resource = `/${server.account}/${server.account}${path}`;
  const text = `${[...fields, ...marked].join("\n")}\n${resource}${parameters.join("")}`;
  return createHmac("sha256", Buffer.from(server.key, "base64")).update(text).digest("base64");
}
