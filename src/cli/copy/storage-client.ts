import { createHmac } from "node:crypto";
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { pause, systemClock } from "../../base/clock.ts";
import { compareHeaderNames } from "../../http/auth/header-order.ts";
import { printHttpDate } from "../../http/wire/dates.ts";
import { parseXml, type XmlElement } from "../../http/wire/xml.ts";
import type { Account, CopiedService } from "./connection-string.ts";
import { COPY_LIMITS } from "./limits.ts";

/** Requests to one account over REST, signed with its key or sent with its SAS. */
export interface StorageRequest {
  readonly method: string;
  readonly service: CopiedService;
  /** Below the account; encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: Buffer | string | undefined;
  /** Codes that are an answer and no failure. */
  readonly accepts?: readonly number[];
}

export interface StorageReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A reply that is no success. */
export class RequestFailed extends Error {
  override readonly name = "RequestFailed";
  readonly status: number;
  readonly code: string;

  constructor(request: StorageRequest, { status, headers, body }: StorageReply) {
    const code = headers["x-ms-error-code"] ?? /<Code>([^<]{1,80})/.exec(body.toString("utf8"))?.[1] ?? "";
    super(`${request.method} ${request.path} was answered with ${status} ${code}`);
    this.status = status;
    this.code = code;
  }
}

const VERSION = "2021-12-02";
const RETRIED = new Set([408, 429, 500, 502, 503, 504]);

export const encodePath = (text: string): string => text.split("/").map(encodeURIComponent).join("/");

export class StorageClient {
  readonly account: Account;
  readonly #agents = {
    "http:": new HttpAgent({ keepAlive: true }),
    "https:": new HttpsAgent({ keepAlive: true }),
  };

  constructor(account: Account) {
    this.account = account;
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  /** The reply to a request, sent again after failures that may pass. */
  async send(request: StorageRequest): Promise<StorageReply> {
    for (let attempt = 1; ; attempt++) {
      const reply = await this.#sendOnce(request).catch((error: unknown) => {
        if (attempt >= COPY_LIMITS.attemptsMax) throw error;
        return undefined;
      });
      if (reply !== undefined && (!RETRIED.has(reply.status) || attempt >= COPY_LIMITS.attemptsMax)) {
        if (reply.status < 300 || request.accepts?.includes(reply.status)) return reply;
        throw new RequestFailed(request, reply);
      }
      await pause(COPY_LIMITS.firstRetryMillis * 2 ** (attempt - 1));
    }
  }

  /** The root element of a reply. */
  async sendForXml(request: StorageRequest): Promise<XmlElement> {
    return parseXml(withoutBom((await this.send(request)).body));
  }

  #sendOnce(request: StorageRequest): Promise<StorageReply> {
    const { protocol, hostname, port, host, pathname } = this.account.endpoints[request.service]!;
    // Not a URL: that would resolve names such as "a/../b".
    const path = `${pathname.replace(/\/$/, "")}/${request.path}`;
    const send = protocol === "https:" ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const sent = send(
        {
          method: request.method,
          agent: this.#agents[protocol === "https:" ? "https:" : "http:"],
          hostname: hostname.replace(/^\[|\]$/g, ""),
          port,
          path: path + this.#queryOf(request),
          headers: this.#headersOf(request, path),
          timeout: COPY_LIMITS.replyMillis,
        },
        (incoming) => void collectReply(incoming).then(resolve, reject),
      );
      sent.on("timeout", () => sent.destroy(new Error(`${host} did not answer in time`)));
      sent.on("error", reject);
      sent.end(request.body);
    });
  }

  #queryOf({ query = {} }: StorageRequest): string {
    const pairs = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
    );
    if (this.account.sas !== undefined) pairs.push(this.account.sas);
    return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
  }

  #headersOf(request: StorageRequest, path: string): Record<string, string> {
    const headers: Record<string, string> = {
      "x-ms-version": VERSION,
      "x-ms-date": printHttpDate(systemClock.now()),
      "content-length": String(Buffer.byteLength(request.body ?? "")),
    };
    for (const [name, value] of Object.entries(request.headers ?? {}))
      if (value !== undefined) headers[name] = value;
    const { key, name } = this.account;
    if (key === undefined) return headers;
    const text = stringToSign(request, headers, `/${name}${path}`);
    const scheme = request.service === "table" ? "SharedKeyLite" : "SharedKey";
    headers.authorization = `${scheme} ${name}:${createHmac("sha256", key).update(text, "utf8").digest("base64")}`;
    return headers;
  }
}

function stringToSign(
  { service, method, query = {} }: StorageRequest,
  headers: Readonly<Record<string, string>>,
  resource: string,
): string {
  if (service === "table") {
    const comp = query.comp === undefined ? "" : `?comp=${query.comp}`;
    return `${headers["x-ms-date"]}\n${resource}${comp}`;
  }
  const length = headers["content-length"] === "0" ? "" : headers["content-length"];
  const type = headers["content-type"] ?? "";
  const match = headers["if-match"] ?? "";
  const signed = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => name.startsWith("x-ms-"))
    .sort(([one], [other]) => compareHeaderNames(one, other))
    .map(([name, value]) => `${name}:${value.trim()}\n`);
  const named = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `\n${name.toLowerCase()}:${value}`);
  const lines = `${method}\n\n\n${length}\n\n${type}\n\n\n${match}\n\n\n\n`;
  return lines + signed.join("") + resource + named.join("");
}

async function collectReply(incoming: IncomingMessage): Promise<StorageReply> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > COPY_LIMITS.replyBytesMax) throw new Error("a reply is longer than any should be");
    chunks.push(chunk);
  }
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
  return { status: incoming.statusCode ?? 0, headers, body: Buffer.concat(chunks) };
}

export function withoutBom(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}

const METADATA = "x-ms-meta-";

/** Metadata as headers of a request; the names of a reply's headers have lost their case. */
export function metadataHeaders(metadata: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [METADATA + name, value]));
}

export function metadataOf(reply: StorageReply): Record<string, string> {
  const found = Object.entries(reply.headers).filter(([name]) => name.startsWith(METADATA));
  return Object.fromEntries(found.map(([name, value]) => [name.slice(METADATA.length), value]));
}

/** The elements of a list, page by page. */
export async function* listPages(
  client: StorageClient,
  request: StorageRequest,
  container: string,
): AsyncGenerator<XmlElement> {
  let marker: string | undefined;
  do {
    const query = { ...request.query, maxresults: String(COPY_LIMITS.pageEntries), marker };
    const page = await client.sendForXml({ ...request, query });
    yield* page.child(container)?.children ?? [];
    marker = page.textOf("NextMarker") || undefined;
  } while (marker !== undefined);
}

/** A name in a list; one that XML cannot hold is encoded. */
export function nameIn(entry: XmlElement): string {
  const name = entry.child("Name");
  const text = name?.text ?? "";
  return name?.attributes?.get("Encoded") === "true" ? decodeURIComponent(text) : text;
}

/** Metadata in a list, where names keep their case. */
export function metadataIn(entry: XmlElement): Record<string, string> {
  return Object.fromEntries((entry.child("Metadata")?.children ?? []).map(({ name, text }) => [name, text]));
}
