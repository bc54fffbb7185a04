import { createHmac } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { systemClock } from "../base/clock.ts";
import { ConfigError } from "../base/config-error.ts";
import { CannotStart } from "../base/faults.ts";
import { MIB } from "../base/limits.ts";
import type { AccountKeys } from "../services/account/account-list.ts";
import type { Seed, SeedContent, SeedPolicy } from "./seed-file.ts";

/**
 * Creates what a seed names and the server does not have, as a client of its own listeners: each request goes
 * through every rule, on every engine and with workers. What exists stays as it is, so that a start with the
 * same seed changes nothing: no blob, file or entity is replaced, and messages are put only into a queue that
 * this call created.
 */
export interface SeedTarget {
  readonly accounts: readonly AccountKeys[];
  readonly isSecure: boolean;
  readonly addresses: Readonly<Record<SeedService, { readonly host: string; readonly port: number }>>;
}

type SeedService = "blob" | "queue" | "table" | "file";

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: string | Buffer | (() => Readable);
  /** Statuses besides 2xx that mean that it exists. */
  readonly exists?: readonly number[];
}

const VERSION = "2021-12-02";
const RANGE_BYTES = 4 * MIB;

export async function applySeed(seed: Seed, target: SeedTarget): Promise<void> {
  for (const { name, metadata, policies, publicAccess, blobs, ...of } of seed.containers) {
    const client = clientOf(target, "blob", of.account);
    const access = publicAccess === undefined ? {} : { "x-ms-blob-public-access": publicAccess };
    const at = { path: name, query: { restype: "container" } };
    const created = await client({
      method: "PUT",
      ...at,
      headers: { ...metadataHeaders(metadata), ...access },
      exists: [409],
    });
    if (created && policies.length > 0) await client(putPolicies(at, policies, access));
    for (const blob of blobs)
      await client({
        method: "PUT",
        path: `${name}/${blob.name}`,
        headers: {
          "x-ms-blob-type": "BlockBlob",
          "If-None-Match": "*",
          "x-ms-blob-content-type": blob.contentType ?? "application/octet-stream",
          "Content-Length": lengthOf(blob),
          ...metadataHeaders(blob.metadata),
        },
        body: () => streamOf(blob),
        exists: [409, 412],
      });
  }
  for (const { name, metadata, policies, messages, account } of seed.queues) {
    const client = clientOf(target, "queue", account);
    const headers = metadataHeaders(metadata);
    const created = await client({ method: "PUT", path: name, headers, exists: [204, 409] });
    if (created && policies.length > 0) await client(putPolicies({ path: name, query: {} }, policies));
    for (const message of created ? messages : []) {
      const body = `<QueueMessage><MessageText>${escapeXml(message)}</MessageText></QueueMessage>`;
      await client({ method: "POST", path: `${name}/messages`, body });
    }
  }
  for (const { name, policies, entities, account } of seed.tables) {
    const client = clientOf(target, "table", account);
    const headers = {
      "Content-Type": "application/json",
      Accept: "application/json;odata=nometadata",
      DataServiceVersion: "3.0;NetFx",
    };
    const body = JSON.stringify({ TableName: name });
    const created = await client({ method: "POST", path: "Tables", headers, body, exists: [409] });
    if (created && policies.length > 0) await client(putPolicies({ path: name, query: {} }, policies));
    for (const entity of entities)
      await client({ method: "POST", path: name, headers, body: JSON.stringify(entity), exists: [409] });
  }
  for (const { name, metadata, policies, quota, directories, files, account } of seed.shares) {
    const client = clientOf(target, "file", account);
    const at = { path: name, query: { restype: "share" } };
    const headers = {
      ...metadataHeaders(metadata),
      ...(quota === undefined ? {} : { "x-ms-share-quota": quota }),
    };
    const created = await client({ method: "PUT", ...at, headers, exists: [409] });
    if (created && policies.length > 0) await client(putPolicies(at, policies));
    for (const path of directoriesOf(directories, files))
      await client({
        method: "PUT",
        path: `${name}/${path}`,
        query: { restype: "directory" },
        headers: NEW_FILE,
        exists: [409],
      });
    for (const file of files) await putFile(client, `${name}/${file.name}`, file);
  }
}

const NEW_FILE = {
  "x-ms-file-permission": "inherit",
  "x-ms-file-attributes": "None",
  "x-ms-file-creation-time": "now",
  "x-ms-file-last-write-time": "now",
};

/** The directories that are named and those above the files, parents first. */
function directoriesOf(named: readonly string[], files: readonly SeedContent[]): string[] {
  const paths = [...named, ...files.map(({ name }) => name.split("/").slice(0, -1).join("/"))];
  const all = paths.flatMap((path) => {
    const parts = path.split("/").filter((part) => part !== "");
    return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
  });
  return [...new Set(all)].sort();
}

async function putFile(client: Client, path: string, file: SeedContent): Promise<void> {
  if (!(await client({ method: "HEAD", path, exists: [404] }))) {
    const length = lengthOf(file);
    await client({
      method: "PUT",
      path,
      headers: {
        ...NEW_FILE,
        ...metadataHeaders(file.metadata),
        "x-ms-type": "file",
        "x-ms-content-length": length,
        "x-ms-content-type": file.contentType ?? "application/octet-stream",
      },
    });
    for (let from = 0; from < length; from += RANGE_BYTES) {
      const body = await readRange(file, from, Math.min(RANGE_BYTES, length - from));
      await client({
        method: "PUT",
        path,
        query: { comp: "range" },
        headers: { "x-ms-range": `bytes=${from}-${from + body.length - 1}`, "x-ms-write": "update" },
        body,
      });
    }
  }
}

const lengthOf = ({ source }: SeedContent): number =>
  "path" in source ? statSync(source.path).size : Buffer.byteLength(source.text);

const streamOf = ({ source }: SeedContent): Readable =>
  "path" in source ? createReadStream(source.path) : Readable.from([Buffer.from(source.text)]);

async function readRange({ source }: SeedContent, from: number, length: number): Promise<Buffer> {
  if ("text" in source) return Buffer.from(source.text).subarray(from, from + length);
  const file = await open(source.path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

const metadataHeaders = (metadata: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`x-ms-meta-${name}`, value]));

const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function putPolicies(
  { path, query }: { readonly path: string; readonly query: Readonly<Record<string, string>> },
  policies: readonly SeedPolicy[],
  headers: Readonly<Record<string, string>> = {},
): Sent {
  const field = (name: string, value: string | undefined): string =>
    value === undefined ? "" : `<${name}>${escapeXml(value)}</${name}>`;
  const entries = policies.map(({ id, permissions, start, expiry }) => {
    const access = field("Start", start) + field("Expiry", expiry) + field("Permission", permissions);
    return `<SignedIdentifier>${field("Id", id)}<AccessPolicy>${access}</AccessPolicy></SignedIdentifier>`;
  });
  const body = `<SignedIdentifiers>${entries.join("")}</SignedIdentifiers>`;
  return { method: "PUT", path, query: { ...query, comp: "acl" }, headers, body };
}

/** True unless the reply has one of the statuses in `exists`. */
type Client = (sent: Sent) => Promise<boolean>;

function clientOf(
  { accounts, isSecure, addresses }: SeedTarget,
  service: SeedService,
  name?: string,
): Client {
  const account = name === undefined ? accounts[0] : accounts.find((one) => one.name === name);
  if (account === undefined) throw new ConfigError("--seed", `there is no account ${name}`);
  const { host, port } = addresses[service];
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  const send = isSecure ? requestHttps : requestHttp;
  return async ({ method, path, query = {}, headers = {}, body, exists = [] }) => {
    const target = `/${account.name}/${path.split("/").map(encodeURIComponent).join("/")}`;
    const length = typeof body === "function" ? {} : { "Content-Length": Buffer.byteLength(body ?? "") };
    const unsigned = {
      "x-ms-version": VERSION,
      "x-ms-date": new Date(systemClock.now()).toUTCString(),
      ...length,
      ...headers,
    };
    const outgoing = send({
      host: reachable,
      port,
      method,
      path: `${target}?${new URLSearchParams(query)}`,
      headers: {
        ...unsigned,
        Authorization: sharedKeyLite(account, service, {
          method,
          target,
          comp: query.comp,
          headers: unsigned,
        }),
      },
      // Its own listener: the certificate names whatever host the clients use.
      rejectUnauthorized: false,
      agent: false,
    });
    const replied = new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once("response", resolve);
      outgoing.once("error", reject);
    });
    const content = typeof body === "function" ? body() : Readable.from(body === undefined ? [] : [body]);
    const [reply] = await Promise.all([replied, pipeline(content, outgoing)]);
    const text = await readText(reply);
    const status = reply.statusCode ?? 0;
    if (exists.includes(status)) return false;
    if (status < 200 || status > 299)
      throw new CannotStart(`--seed: ${method} ${account.name}/${path} got ${status}: ${text.slice(0, 300)}`);
    return true;
  };
}

/** The shorter of the protocol's two schemes. */
function sharedKeyLite(
  { name, keys }: AccountKeys,
  service: SeedService,
  sent: {
    readonly method: string;
    readonly target: string;
    readonly comp: string | undefined;
    readonly headers: Readonly<Record<string, string | number>>;
  },
): string {
  const { method, target, comp, headers } = sent;
  const resource = `/${name}${target}${comp === undefined ? "" : `?comp=${comp}`}`;
  const own = Object.entries(headers)
    .map(([key, value]) => [key.toLowerCase(), value] as const)
    .filter(([key]) => key.startsWith("x-ms-"))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => `${key}:${value}\n`);
  const text =
    service === "table"
      ? `${headers["x-ms-date"]}\n${resource}`
      : `${method}\n\n${headers["Content-Type"] ?? ""}\n\n${own.join("")}${resource}`;
  return `SharedKeyLite ${name}:${createHmac("sha256", keys[0]!).update(text).digest("base64")}`;
}

async function readText(reply: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of reply.setEncoding("utf8")) text += chunk;
  return text;
}
