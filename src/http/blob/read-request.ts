import { createHash } from "node:crypto";
import { badHeader, badQuery, Refusal } from "../../base/refusals.ts";
import { type Revision, revisionOfTimestamp } from "../../base/revision.ts";
import type { Selector } from "../../services/blob/blobs.ts";
import type { GuardedContainer, Guards } from "../../services/blob/containers.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import {
  type BlobRef,
  type ContainerRef,
  checkBlobName,
  checkContainerName,
} from "../../services/blob/names.ts";
import type { BlobProperties, CreateGuards, EncryptionOptions } from "../../services/blob/new-blob.ts";
import type { BlobHttpHeaders, BlobRecord, ContainerRecord } from "../../services/blob/records.ts";
import { type Caller, mayOverwrite } from "../auth/caller.ts";
import { readBoolean, readLeaseId, readWord } from "../common/read-headers.ts";
import type { Headers, HttpRequest, Query, Target } from "../exchange.ts";
import type { ConditionHeader } from "../operation.ts";
import { parseHttpDate, parseIsoDate } from "../wire/dates.ts";
import { BASE64 } from "../wire/digest.ts";
import { readMetadata } from "../wire/metadata.ts";
import { readWriteConditions } from "./read-conditions.ts";
import { parseTagsHeader, type Tags } from "./tags-wire.ts";

/** What requests to containers and blobs have in common, decoded. */

export function readContainerRef({ target }: HttpRequest): ContainerRef {
  const { path } = target;
  const container = path.endsWith("/") ? path.slice(0, -1) : path;
  checkContainerName(container);
  return { account: target.account, container };
}

export function readBlobRef({ target }: Pick<HttpRequest, "target">): BlobRef {
  const ref = blobRefOf(target);
  checkContainerName(ref.container);
  checkBlobName(ref.blob);
  return ref;
}

/** An address without a container names a blob of $root. */
function blobRefOf({ account, path }: Pick<Target, "account" | "path">): BlobRef {
  const slash = path.indexOf("/");
  if (slash < 0) return { account, container: "$root", blob: path };
  return { account, container: path.slice(0, slash), blob: path.slice(slash + 1) };
}

export function readPublicAccess(headers: Headers): ContainerRecord["publicAccess"] {
  const text = headers["x-ms-blob-public-access"];
  if (text === undefined || text === "") return undefined;
  const access = text.toLowerCase();
  if (access !== "blob" && access !== "container") throw badHeader("x-ms-blob-public-access", text);
  return access;
}

export function readContainerGuards(
  request: HttpRequest,
  supported: readonly ConditionHeader[],
): GuardedContainer {
  return {
    ref: readContainerRef(request),
    conditions: readWriteConditions(request.headers, supported),
    leaseId: readLeaseId(request.headers),
  };
}

export function readSelector(query: Query): Selector {
  const snapshot = readTimestamp(query, "snapshot");
  const version = readTimestamp(query, "versionid");
  if (snapshot !== undefined && version !== undefined) throw new Refusal("MutuallyExclusiveQueryParameters");
  return snapshot !== undefined ? { snapshot } : version !== undefined ? { version } : CURRENT;
}

const CURRENT: Selector = {};

export function readTimestamp(query: Query, name: string): Revision | undefined {
  const text = query.get(name);
  if (text === undefined || text === "") return undefined;
  const revision = revisionOfTimestamp(text);
  if (revision === undefined) throw badQuery(name, text, "This is not an id that was given out.");
  return revision;
}

/** Snapshots and versions do not change: only the blob itself can be written. */
export function refuseVersionOrSnapshot(query: Query): void {
  if (query.has("snapshot") || query.has("versionid")) throw new Refusal("InvalidOperation");
}

export function readBlobGuards(request: HttpRequest, supported: readonly ConditionHeader[]): Guards {
  checkTagPermission(request);
  return {
    conditions: readWriteConditions(request.headers, supported),
    leaseId: readLeaseId(request.headers),
  };
}

export function readCreateGuards(request: HttpRequest, supported: readonly ConditionHeader[]): CreateGuards {
  const { conditions, leaseId } = readBlobGuards(request, supported);
  return { conditions, leaseId, mayOverwrite: mayOverwrite(request.caller) };
}

/** A condition on tags reveals them, so it needs the permission to read them. */
export function checkTagPermission({ headers, caller }: HttpRequest): void {
  if (headers["x-ms-if-tags"] === undefined) return;
  if (!mayTouchTags(caller)) throw new Refusal("AuthorizationPermissionMismatch");
}

/** Tags have a permission of their own beside that to the blob. */
export function mayTouchTags(caller: Caller): boolean {
  return isSas(caller) ? caller.permissions.includes("t") : caller.kind !== "anonymous";
}

function isSas(caller: Caller): caller is Extract<Caller, { readonly kind: "accountSas" | "serviceSas" }> {
  return caller.kind === "accountSas" || caller.kind === "serviceSas";
}

/** x-ms-tags of a write that creates a blob. */
export function readTags({ headers, caller }: HttpRequest): Tags | undefined {
  const text = headers["x-ms-tags"];
  if (text === undefined) return undefined;
  if (text !== "" && !mayTouchTags(caller)) throw new Refusal("AuthorizationPermissionMismatch");
  return parseTagsHeader(text);
}

const NO_HEADERS: Headers = {};

/**
 * The headers that Get Blob will send; Put Blob also reads the plain headers of its own body. Literal names,
 * since a loop over a list of names takes nine times as long.
 */
function readHttpHeaders(headers: Headers, readsPlain: boolean): BlobHttpHeaders {
  const plain = readsPlain ? headers : NO_HEADERS;
  const found: { -readonly [Name in keyof BlobHttpHeaders]: BlobHttpHeaders[Name] } = {};
  const contentType = headers["x-ms-blob-content-type"] ?? plain["content-type"];
  if (contentType) found.contentType = contentType;
  const contentEncoding = headers["x-ms-blob-content-encoding"] ?? plain["content-encoding"];
  if (contentEncoding) found.contentEncoding = contentEncoding;
  const contentLanguage = headers["x-ms-blob-content-language"] ?? plain["content-language"];
  if (contentLanguage) found.contentLanguage = contentLanguage;
  const contentDisposition = headers["x-ms-blob-content-disposition"];
  if (contentDisposition) found.contentDisposition = contentDisposition;
  const cacheControl = headers["x-ms-blob-cache-control"] ?? plain["cache-control"];
  if (cacheControl) found.cacheControl = cacheControl;
  const md5 = headers["x-ms-blob-content-md5"];
  if (md5 !== undefined && md5 !== "") {
    // Of any length: only Put Blob compares it with the content.
    if (!BASE64.test(md5)) throw badHeader("x-ms-blob-content-md5", md5, "InvalidMd5");
    found.contentMd5 = md5;
  }
  return found;
}

/** Set Blob Properties clears the headers that the request does not have, the content type included. */
export function readNewHttpHeaders(headers: Headers): BlobHttpHeaders {
  return { contentType: "", ...readHttpHeaders(headers, false) };
}

/** Everything that a write can create a blob with. */
export function readProperties(
  request: HttpRequest,
  readsPlain: boolean,
  tiers: readonly string[] = BLOCK_TIERS,
): BlobProperties {
  const { headers } = request;
  const immutability = readImmutability(request);
  const hasLegalHold = readLegalHold(request);
  return {
    http: readHttpHeaders(headers, readsPlain),
    metadata: readMetadata(request.rawHeaders),
    tags: readTags(request),
    tier: readTier(headers, tiers),
    encryption: readEncryption(request),
    immutability,
    hasLegalHold,
  };
}

export const BLOCK_TIERS = ["Hot", "Cool", "Cold", "Archive", "Smart"] as const;

export function readTier(headers: Headers, tiers: readonly string[]): string | undefined {
  return readWord(headers, "x-ms-access-tier", tiers);
}

export function readRehydratePriority(headers: Headers): "Standard" | "High" | undefined {
  return readWord(headers, "x-ms-rehydrate-priority", ["Standard", "High"]);
}

export function copiesSourceTags(headers: Headers): boolean {
  return headers["x-ms-copy-source-tag-option"]?.toUpperCase() === "COPY";
}

/**
 * The server checks a customer-provided key and stores only its hash, to recognize the key in later requests.
 */
export function readEncryption({ headers, caller }: HttpRequest): EncryptionOptions {
  const keySha256 = readCustomerKey(headers);
  const named = headers["x-ms-encryption-scope"];
  const ofSas = isSas(caller) ? caller.encryptionScope : undefined;
  if (named !== undefined) {
    const isValid = named !== "" && named.length <= BLOB_LIMITS.encryptionScopeCharsMax;
    if (!isValid || (ofSas !== undefined && named !== ofSas)) throw badHeader("x-ms-encryption-scope", named);
  }
  const scope = named ?? ofSas;
  if (keySha256 !== undefined && scope !== undefined) throw badHeader("x-ms-encryption-scope", scope);
  return keySha256 === undefined && scope === undefined ? NO_OPTIONS : { keySha256, scope };
}

const NO_OPTIONS: EncryptionOptions = {};
const KEY = /^[A-Za-z0-9+/]{43}=$/;

const OWN_KEY = {
  key: "x-ms-encryption-key",
  sha256: "x-ms-encryption-key-sha256",
  algorithm: "x-ms-encryption-algorithm",
};
export const SOURCE_KEY: typeof OWN_KEY = {
  key: "x-ms-source-encryption-key",
  sha256: "x-ms-source-encryption-key-sha256",
  algorithm: "x-ms-source-encryption-algorithm",
};

export function readCustomerKey(headers: Headers, names: typeof OWN_KEY = OWN_KEY): string | undefined {
  const key = headers[names.key];
  const sha256 = headers[names.sha256];
  const algorithm = headers[names.algorithm];
  if (key === undefined && sha256 === undefined && algorithm === undefined) return undefined;
  // No reply repeats the key, not even a wrong one.
  if (key === undefined || !KEY.test(key)) throw badHeader(names.key, "");
  if (algorithm !== "AES256") throw badHeader(names.algorithm, algorithm ?? "");
  const actual = createHash("sha256").update(Buffer.from(key, "base64")).digest("base64");
  if (sha256 !== actual) throw badHeader(names.sha256, sha256 ?? "");
  return actual;
}

/** Immutability has a permission of its own beside that to write: it can make a blob impossible to delete. */
function checkMayMakeImmutable({ caller }: HttpRequest): void {
  if (isSas(caller) && !caller.permissions.includes("i"))
    throw new Refusal("AuthorizationPermissionMismatch");
}

export function readLegalHold(request: HttpRequest): boolean | undefined {
  const hasLegalHold = readBoolean(request.headers, "x-ms-legal-hold");
  if (hasLegalHold !== undefined) checkMayMakeImmutable(request);
  return hasLegalHold;
}

export function readImmutability(request: HttpRequest): BlobRecord["immutability"] | undefined {
  const { headers } = request;
  const text = headers["x-ms-immutability-policy-until-date"];
  const mode = headers["x-ms-immutability-policy-mode"]?.toLowerCase();
  if (text === undefined) {
    if (mode !== undefined) throw badHeader("x-ms-immutability-policy-mode", mode);
    return undefined;
  }
  checkMayMakeImmutable(request);
  const until = parseHttpDate(text) ?? parseIsoDate(text);
  if (until === undefined) throw badHeader("x-ms-immutability-policy-until-date", text);
  if (mode !== undefined && mode !== "locked" && mode !== "unlocked") {
    throw badHeader("x-ms-immutability-policy-mode", mode);
  }
  return { until, mode: mode ?? "unlocked" };
}
