import { createHash } from "node:crypto";
import { badHeader, badQuery, Refusal } from "../../base/refusals.ts";
import { type Revision, revisionOfTimestamp } from "../../base/revision.ts";
import type { BlobGuards, Selector } from "../../services/blob/blobs.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import type { BlobProperties, CreateGuards, EncryptionOptions } from "../../services/blob/put-blob.ts";
import type { BlobHttpHeaders, BlobRecord } from "../../services/blob/records.ts";
import { type Caller, mayOverwrite } from "../auth/caller.ts";
import type { Headers, HttpRequest, Query } from "../exchange.ts";
import type { ConditionHeader } from "../operation.ts";
import { parseHttpDate, parseIsoDate } from "../wire/dates.ts";
import { isMd5Base64 } from "../wire/digest.ts";
import { readMetadata } from "../wire/metadata.ts";
import { readBoolean, readLeaseId, readWriteConditions } from "./read-request.ts";
import { parseTagsHeader, type Tags } from "./tags-wire.ts";

/** What requests say about a blob, decoded. */

export function readSelector(query: Query): Selector {
  const snapshot = readMoment(query, "snapshot");
  const version = readMoment(query, "versionid");
  if (snapshot !== undefined && version !== undefined) {
    throw badQuery("snapshot", query.get("snapshot")!, "A snapshot and a version cannot be named together.");
  }
  return snapshot !== undefined ? { snapshot } : version !== undefined ? { version } : PRESENT;
}

const PRESENT: Selector = {};

export function readMoment(query: Query, name: string): Revision | undefined {
  const text = query.get(name);
  if (text === undefined || text === "") return undefined;
  const revision = revisionOfTimestamp(text);
  if (revision === undefined) throw badQuery(name, text, "This is not an id that was given out.");
  return revision;
}

/** Writes go to the blob itself: a snapshot or a version does not change. */
export function refuseVersionOrSnapshot(query: Query): void {
  if (query.has("snapshot") || query.has("versionid")) throw new Refusal("InvalidOperation");
}

export function readBlobGuards(request: HttpRequest, taken: readonly ConditionHeader[]): BlobGuards {
  checkTagPermission(request);
  return {
    conditions: readWriteConditions(request.headers, taken),
    leaseId: readLeaseId(request.headers),
  };
}

export function readCreateGuards(request: HttpRequest, taken: readonly ConditionHeader[]): CreateGuards {
  const { conditions, leaseId } = readBlobGuards(request, taken);
  return { conditions, leaseId, mayOverwrite: mayOverwrite(request.caller) };
}

/** Asking about tags is reading them. */
export function checkTagPermission({ headers, caller }: HttpRequest): void {
  if (headers["x-ms-if-tags"] === undefined) return;
  if (!mayTouchTags(caller)) throw new Refusal("AuthorizationPermissionMismatch");
}

/** Tags have a right of their own beside that to the blob. */
export function mayTouchTags(caller: Caller): boolean {
  const isSas = caller.kind === "accountSas" || caller.kind === "serviceSas";
  return isSas ? caller.permissions.includes("t") : caller.kind !== "anonymous";
}

/** x-ms-tags of a write that makes a blob. */
export function readTags({ headers, caller }: HttpRequest): Tags | undefined {
  const text = headers["x-ms-tags"];
  if (text === undefined) return undefined;
  if (text !== "" && !mayTouchTags(caller)) throw new Refusal("AuthorizationPermissionMismatch");
  return parseTagsHeader(text);
}

const NO_HEADERS: Headers = {};

/**
 * The headers the blob is to be served with; Put Blob also takes the plain ones of its own body. Each by its name: a
 * look by what a list says takes nine times as long.
 */
export function readHttpHeaders(headers: Headers, takesPlain: boolean): BlobHttpHeaders {
  const plain = takesPlain ? headers : NO_HEADERS;
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
    if (!isMd5Base64(md5)) throw badHeader("x-ms-blob-content-md5", md5, "InvalidMd5");
    found.contentMd5 = md5;
  }
  return found;
}

/** Set Blob Properties: what is not given is cleared, the type as well. */
export function readNewHttpHeaders(headers: Headers): BlobHttpHeaders {
  return { contentType: "", ...readHttpHeaders(headers, false) };
}

/** Everything a blob can be made with. */
export function readProperties(
  request: HttpRequest,
  takesPlain: boolean,
  tiers: readonly string[] = BLOCK_TIERS,
): BlobProperties {
  const { headers } = request;
  const immutability = readImmutability(request);
  const hasLegalHold = readLegalHold(request);
  return {
    http: readHttpHeaders(headers, takesPlain),
    metadata: readMetadata(request.rawHeaders),
    tags: readTags(request),
    tier: readTier(headers, tiers),
    encryption: readEncryption(request),
    immutability,
    hasLegalHold,
  };
}

export const BLOCK_TIERS = ["Hot", "Cool", "Cold", "Archive", "Smart"] as const;

/** As the protocol spells it, however the client did. */
export function readTier(headers: Headers, tiers: readonly string[]): string | undefined {
  const text = headers["x-ms-access-tier"];
  if (text === undefined) return undefined;
  const tier = tiers.find((name) => name.toLowerCase() === text.toLowerCase());
  if (tier === undefined) throw badHeader("x-ms-access-tier", text);
  return tier;
}

/** A customer's key is checked and forgotten: what is kept is its hash, to know it again. */
export function readEncryption({ headers, caller }: HttpRequest): EncryptionOptions {
  const keySha256 = readCustomerKey(headers);
  const named = headers["x-ms-encryption-scope"];
  const bound =
    caller.kind === "accountSas" || caller.kind === "serviceSas" ? caller.encryptionScope : undefined;
  if (named !== undefined && (named === "" || named.length > BLOB_LIMITS.encryptionScopeCharsMax)) {
    throw badHeader("x-ms-encryption-scope", named);
  }
  if (bound !== undefined && named !== undefined && named !== bound)
    throw badHeader("x-ms-encryption-scope", named);
  const scope = named ?? bound;
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
  // The key itself never goes into an answer, not even when it is wrong.
  if (key === undefined || !KEY.test(key)) throw badHeader(names.key, "");
  if (algorithm !== "AES256") throw badHeader(names.algorithm, algorithm ?? "");
  const actual = createHash("sha256").update(Buffer.from(key, "base64")).digest("base64");
  if (sha256 !== actual) throw badHeader(names.sha256, sha256 ?? "");
  return actual;
}

/** Whoever holds a blob has a right of its own to, beside that to write it: nobody may be able to delete it then. */
function checkMayGuard({ caller }: HttpRequest): void {
  const isSas = caller.kind === "accountSas" || caller.kind === "serviceSas";
  if (isSas && !caller.permissions.includes("i")) throw new Refusal("AuthorizationPermissionMismatch");
}

export function readLegalHold(request: HttpRequest): boolean | undefined {
  const hasLegalHold = readBoolean(request.headers, "x-ms-legal-hold");
  if (hasLegalHold !== undefined) checkMayGuard(request);
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
  checkMayGuard(request);
  const until = parseHttpDate(text) ?? parseIsoDate(text);
  if (until === undefined) throw badHeader("x-ms-immutability-policy-until-date", text);
  if (mode !== undefined && mode !== "locked" && mode !== "unlocked") {
    throw badHeader("x-ms-immutability-policy-mode", mode);
  }
  return { until, mode: mode ?? "unlocked" };
}
