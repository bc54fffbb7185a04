import { createHmac } from "node:crypto";
import { Agent, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import {
  AzureNamedKeyCredential,
  type TableClient,
  TableClient as TableClientOfSdk,
  TableServiceClient,
} from "@azure/data-tables";
import { collect } from "../../src/base/bytes.ts";
import type { TestServer } from "./server.ts";

/** The Table service seen by clients: Azure's SDK, and requests as they go over the wire. */
const insecure = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };

export function serviceClient(server: TestServer): TableServiceClient {
  return TableServiceClient.fromConnectionString(server.connectionString, insecure);
}

export function tableClient(server: TestServer, table: string): TableClient {
  return TableClientOfSdk.fromConnectionString(server.connectionString, table, insecure);
}

export function credential(server: TestServer): AzureNamedKeyCredential {
  return new AzureNamedKeyCredential(server.account, server.key);
}

export async function createdTable(server: TestServer, table: string): Promise<TableClient> {
  const client = tableClient(server, table);
  await client.createTable();
  return client;
}

export interface RawRequest {
  readonly method?: string;
  /** Below the account, encoded: "/Tables". */
  readonly path: string;
  /** Encoded, without the question mark. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
  /** Not signed: a SAS stands in the query, or nothing does. */
  readonly isUnsigned?: boolean;
  /** The account as the path has it. */
  readonly account?: string;
  /** The path that is signed, when it is not the one that is sent. */
  readonly signedPath?: string;
}

export interface RawReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it freely.
  readonly json: any;
  /** The code of an OData error, in JSON or XML. */
  readonly code: string | undefined;
  readonly message: string | undefined;
}

const agent = new Agent({ keepAlive: true });

export async function send(server: TestServer, raw: RawRequest): Promise<RawReply> {
  const { method = "GET", path, query = "", body, account = server.account } = raw;
  const date = new Date(server.clock.now()).toUTCString();
  const headers: Record<string, string | string[]> = {
    "x-ms-date": date,
    "x-ms-version": "2019-02-02",
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    ...(raw.headers as Record<string, string | string[]>),
  };
  for (const name in headers) if (headers[name] === "") delete headers[name];
  if (body !== undefined) headers["Content-Length"] = String(Buffer.byteLength(body));
  const comp = /(?:^|&)comp=([^&]*)/.exec(query)?.[1];
  const type = headers["Content-Type"] ?? "";
  const signedPath = raw.signedPath ?? `/${account}${path}`;
  const resource = `/${server.account}${signedPath}${comp === undefined ? "" : `?comp=${comp}`}`;
  if (raw.isUnsigned !== true) {
    const signature = createHmac("sha256", Buffer.from(server.key, "base64"))
      .update(`${method}\n\n${type}\n${date}\n${resource}`)
      .digest("base64");
    headers.Authorization = `SharedKey ${server.account}:${signature}`;
  }
  const url = `${server.endpoints.table}/${account}${path}${query === "" ? "" : `?${query}`}`;
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(url, { method, headers, agent }, (incoming) => {
      collect(incoming).then(
        (bytes) => resolve(replyOf(incoming.statusCode ?? 0, incoming.headers, bytes)),
        reject,
      );
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function replyOf(status: number, headers: IncomingHttpHeaders, bytes: Buffer): RawReply {
  const body = bytes.toString();
  const isJson = headers["content-type"]?.startsWith("application/json") === true && body !== "";
  const json = isJson ? JSON.parse(body) : undefined;
  const error = json?.["odata.error"];
  return {
    status,
    headers,
    body,
    json,
    code: error?.code ?? /<m:code>(.*?)<\/m:code>/s.exec(body)?.[1],
    message: error?.message?.value ?? /<m:message[^>]*>(.*?)<\/m:message>/s.exec(body)?.[1],
  };
}

export function entityPath(table: string, partitionKey: string, rowKey: string): string {
  const key = (text: string): string => encodeURIComponent(text.replaceAll("'", "''"));
  return `/${table}(PartitionKey='${key(partitionKey)}',RowKey='${key(rowKey)}')`;
}

/** One operation within a change set. */
export interface BatchPart {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A change set as clients write it. */
export function changeSet(server: TestServer, parts: readonly BatchPart[]): RawRequest {
  const lines = ["--batch_b", "Content-Type: multipart/mixed; boundary=changeset_c", ""];
  for (const part of parts) lines.push("--changeset_c", ...partLines(server, part));
  lines.push("--changeset_c--", "--batch_b--", "");
  return batchOf(lines.join("\r\n"));
}

/** One query, outside of any change set. */
export function batchQuery(server: TestServer, part: BatchPart): RawRequest {
  return batchOf(["--batch_b", ...partLines(server, part), "--batch_b--", ""].join("\r\n"));
}

export function batchOf(body: string, contentType = "multipart/mixed; boundary=batch_b"): RawRequest {
  return { method: "POST", path: "/$batch", headers: { "Content-Type": contentType }, body };
}

function partLines(server: TestServer, { method, path, headers = {}, body = "" }: BatchPart): string[] {
  return [
    "Content-Type: application/http",
    "Content-Transfer-Encoding: binary",
    "",
    `${method} ${server.endpoints.table}/${server.account}${path} HTTP/1.1`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === "" ? [] : ["Content-Type: application/json"]),
    "",
    body,
  ];
}

/** The parts of an answer to a batch: status, and the error where there is one. */
export function partsOf({
  body,
}: RawReply): { status: number; code?: string; message?: string; text: string }[] {
  return body
    .split("HTTP/1.1 ")
    .slice(1)
    .map((text) => {
      const json = /\{.*\}/s.exec(text)?.[0];
      const error = json === undefined ? undefined : JSON.parse(json)["odata.error"];
      return {
        status: Number(text.slice(0, 3)),
        text,
        ...(error === undefined ? {} : { code: error.code, message: error.message.value }),
      };
    });
}
