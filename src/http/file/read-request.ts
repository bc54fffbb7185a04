import { badHeader, badQuery, Refusal } from "../../base/refusals.ts";
import { ATTRIBUTE, type AttributeName } from "../../services/file/attributes.ts";
import type { InodeChanges } from "../../services/file/inode-changes.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import {
  checkShareName,
  type PathRef,
  type ShareRef,
  type SnapshotRef,
  splitPath,
} from "../../services/file/names.ts";
import type { PermissionRequest } from "../../services/file/permissions.ts";
import type { FileHeaders } from "../../services/file/records.ts";
import { parseSddl, printSddl } from "../../services/file/security/sddl.ts";
import {
  decodeSecurityDescriptor,
  encodeSecurityDescriptor,
} from "../../services/file/security/security-descriptor.ts";
import { readBoolean } from "../common/read-headers.ts";
import type { Headers, HttpRequest } from "../exchange.ts";
import { parseIsoTicks } from "../wire/dates.ts";

/** What requests to shares, directories and files have in common, decoded. */

type Located = Pick<HttpRequest, "target" | "query" | "headers">;

export function readShareRef({ target }: Pick<HttpRequest, "target">): ShareRef {
  const { account, path } = target;
  const share = path.endsWith("/") ? path.slice(0, -1) : path;
  checkShareName(share);
  return { account, share };
}

/** sharesnapshot=2026-01-01T00:00:00.0000000Z */
export function readSnapshotTime(
  { query }: Pick<HttpRequest, "query">,
  name = "sharesnapshot",
): bigint | undefined {
  const text = query.get(name);
  if (text === undefined || text === "") return undefined;
  const time = parseIsoTicks(text);
  if (time === undefined) throw badQuery(name, text, "The time of a snapshot is expected.");
  return time;
}

/** The snapshot that a request names, if any, as a part of a reference. */
export function snapshotOf(request: Pick<HttpRequest, "query">): { snapshot?: bigint } {
  const snapshot = readSnapshotTime(request);
  return snapshot === undefined ? {} : { snapshot };
}

export function readSnapshotRef(request: HttpRequest): SnapshotRef {
  return { ...readShareRef(request), ...snapshotOf(request) };
}

export function readPathRef(request: Located): PathRef {
  const keepsDots = readBoolean(request.headers, "x-ms-allow-trailing-dot") ?? false;
  const { account, share, path } = pathRefOf(request.target, keepsDots);
  const snapshot = readSnapshotTime(request);
  return snapshot === undefined ? { account, share, path } : { account, share, path, snapshot };
}

/** An encoded slash separates like a plain one, since some clients encode the path of a nested directory. */
export function pathRefOf(
  { account, path }: { readonly account: string; readonly path: string },
  keepsDots: boolean,
): PathRef {
  const slash = path.indexOf("/");
  const share = slash < 0 ? path : path.slice(0, slash);
  checkShareName(share);
  return { account, share, path: slash < 0 ? [] : splitPath(path.slice(slash + 1), keepsDots) };
}

/** x-ms-content-length: a number that no file has is out of range, not malformed. */
export function readFileSize(headers: Headers): number | undefined {
  const name = "x-ms-content-length";
  const text = headers[name];
  if (text === undefined) return undefined;
  if (!/^-?\d{1,20}$/.test(text)) throw badHeader(name, text);
  const size = Number(text);
  if (size < 0 || size > FILE_LIMITS.fileBytesMax) throw badHeader(name, text, "OutOfRangeInput");
  return size;
}

interface HttpHeader {
  readonly name: string;
  readonly field: keyof FileHeaders;
  /** The header that stands in for it when a file is created. */
  readonly plain?: string;
}

const HTTP_HEADERS: readonly HttpHeader[] = [
  { name: "x-ms-content-type", field: "contentType", plain: "content-type" },
  { name: "x-ms-content-encoding", field: "contentEncoding", plain: "content-encoding" },
  { name: "x-ms-content-language", field: "contentLanguage", plain: "content-language" },
  { name: "x-ms-content-disposition", field: "contentDisposition", plain: "content-disposition" },
  { name: "x-ms-cache-control", field: "cacheControl", plain: "cache-control" },
  { name: "x-ms-content-md5", field: "contentMd5" },
];

/** The content type of a file for which no client has set one. */
export const DEFAULT_CONTENT_TYPE = "application/octet-stream";

/** For a new file a plain header stands in where its x-ms- counterpart is absent. */
export function readFirstHeaders(headers: Headers): FileHeaders | undefined {
  const found = readFileHeaders(headers, true);
  return found === undefined ? undefined : { contentType: DEFAULT_CONTENT_TYPE, ...found };
}

/** Undefined when the request has none of them. An empty value clears its header. */
export function readFileHeaders(headers: Headers, isNew = false): FileHeaders | undefined {
  let found: Record<string, string> | undefined;
  for (const { name, field, plain } of HTTP_HEADERS) {
    const value = headers[name] ?? (isNew && plain !== undefined ? headers[plain] : undefined);
    if (value === undefined) continue;
    found ??= {};
    if (value === "" && field === "contentMd5") throw badHeader(name, value);
    if (value === "") continue;
    // The server stores and returns this hash of any length and never compares it with the content.
    if (field === "contentMd5" && !BASE64.test(value)) throw badHeader(name, value, "InvalidMd5");
    found[field] = value;
  }
  return found;
}

/** Attributes, times and permission. */
export function readChanges(headers: Headers): InodeChanges {
  return {
    attributes: readAttributes(headers),
    createdAt: readTime(headers, "x-ms-file-creation-time"),
    writtenAt: readTime(headers, "x-ms-file-last-write-time"),
    changedAt: readChangeTime(headers),
    permission: readPermission(headers),
  };
}

function readAttributes(headers: Headers): number | undefined {
  const name = "x-ms-file-attributes";
  const text = headers[name];
  if (text === undefined || text === "" || text.toLowerCase() === "preserve") return undefined;
  let attributes = 0;
  for (const item of text.split("|")) {
    const word = item.trim().toLowerCase();
    if (word === "none") continue;
    const attribute = ATTRIBUTE_NAMES.get(word);
    if (attribute === undefined) throw badHeader(name, text);
    attributes |= ATTRIBUTE[attribute];
  }
  return attributes;
}

const ATTRIBUTE_NAMES = new Map(
  (Object.keys(ATTRIBUTE) as AttributeName[]).map((name) => [name.toLowerCase(), name] as const),
);

function readTime(headers: Headers, name: string): bigint | "now" | "preserve" | undefined {
  const text = headers[name];
  if (text === undefined || text === "") return undefined;
  const word = text.toLowerCase();
  if (word === "now" || word === "preserve") return word;
  const time = parseIsoTicks(text);
  if (time === undefined) throw badHeader(name, text);
  return time;
}

function readChangeTime(headers: Headers): bigint | "now" | undefined {
  const time = readTime(headers, "x-ms-file-change-time");
  return time === "preserve" ? undefined : time;
}

function readPermission(headers: Headers): PermissionRequest {
  const sddl = headers["x-ms-file-permission"];
  const key = headers["x-ms-file-permission-key"];
  if (sddl !== undefined && key !== undefined && key !== "") {
    throw badHeader("x-ms-file-permission-key", key);
  }
  if (key !== undefined && key !== "") return { key };
  if (sddl === undefined || sddl === "") return undefined;
  const word = sddl.toLowerCase();
  if (word === "inherit" || word === "preserve") return word;
  if (Buffer.byteLength(sddl) > FILE_LIMITS.permissionHeaderBytesMax) {
    throw badHeader("x-ms-file-permission", "", "FileInvalidPermission");
  }
  return { sddl: sddlOf(sddl, headers["x-ms-file-permission-format"]) };
}

/** The permission as SDDL, whichever format the client sent. */
export function sddlOf(permission: string, format: string | undefined): string {
  return readFormat(format) === "sddl" ? permission : sddlOfBinary(permission);
}

/** sddl, or binary: a self-relative security descriptor in Base64. */
export function readFormat(format: string | undefined): "sddl" | "binary" {
  const form = (format ?? "sddl").toLowerCase();
  if (form !== "sddl" && form !== "binary") throw badHeader("x-ms-file-permission-format", form);
  return form;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function sddlOfBinary(permission: string): string {
  if (!BASE64.test(permission)) throw new Refusal("FileInvalidPermission");
  return printSddl(decodeSecurityDescriptor(Buffer.from(permission, "base64")));
}

/** A stored descriptor in the format that the client asks for. */
export function printPermission(sddl: string, format: "sddl" | "binary"): string {
  return format === "sddl" ? sddl : encodeSecurityDescriptor(parseSddl(sddl)).toString("base64");
}
