import { instantOf, type Revision, timestampOf } from "../../base/revision.ts";
import { quotedEtag } from "../../concurrency/etag.ts";
import { leaseStatus } from "../../concurrency/lease.ts";
import type { Selector } from "../../services/blob/blobs.ts";
import type { BlobView } from "../../services/blob/get-blob.ts";
import type { Written } from "../../services/blob/new-blob.ts";
import type { BlobHttpHeaders, BlobKind, BlobRecord } from "../../services/blob/records.ts";
import type { BodyStream, Headers, HttpRequest, ReplyHeaders } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";
import { checkBytes } from "../wire/digest.ts";
import { isSince } from "../wire/since.ts";
import { STRUCTURED_BODY } from "../wire/structured-body.ts";

/** Headers of replies about blobs. */

export function versionHeader(version: Revision | undefined): Record<string, string> {
  return version === undefined ? {} : { "x-ms-version-id": timestampOf(version) };
}

export const BLOB_TYPES: Readonly<Record<BlobKind, string>> = {
  block: "BlockBlob",
  append: "AppendBlob",
  page: "PageBlob",
};

/** The default type, unless a client has set another (or has cleared it: then there is none). */
export function contentTypeOf({ contentType }: BlobHttpHeaders): string | undefined {
  return contentType === undefined ? "application/octet-stream" : contentType || undefined;
}

type Out = Record<string, string | undefined>;

/**
 * The headers of Get Blob and Get Blob Properties. Set one by one, since every download does this. A blob
 * that is named by the id of its version shows no lease, like a version.
 */
export function blobHeaders({ record, isCurrent, now }: BlobView, { version }: Selector = {}): Out {
  const { http, metadata } = record;
  const out: Out = {
    ETag: quotedEtag(record.revision),
    "Last-Modified": printHttpDate(instantOf(record.revision)),
    "Content-Type": contentTypeOf(http),
    "x-ms-creation-time": printHttpDate(instantOf(record.created)),
    "x-ms-blob-type": BLOB_TYPES[record.kind],
    "Accept-Ranges": "bytes",
    "x-ms-server-encrypted": "true",
  };
  if (http.contentEncoding !== undefined) out["Content-Encoding"] = http.contentEncoding;
  if (http.contentLanguage !== undefined) out["Content-Language"] = http.contentLanguage;
  if (http.contentDisposition !== undefined) out["Content-Disposition"] = http.contentDisposition;
  if (http.cacheControl !== undefined) out["Cache-Control"] = http.cacheControl;
  if (record.stateKind === undefined && version === undefined) {
    const { state, status, duration } = leaseStatus(record.lease, now);
    out["x-ms-lease-status"] = status;
    out["x-ms-lease-state"] = state;
    if (duration !== undefined) out["x-ms-lease-duration"] = duration;
  }
  if (record.version !== undefined && record.stateKind !== "snapshot") {
    out["x-ms-version-id"] = timestampOf(record.version);
    if (isCurrent) out["x-ms-is-current-version"] = "true";
  }
  if (record.tags !== undefined) out["x-ms-tag-count"] = String(Object.keys(record.tags).length);
  if (record.keySha256 !== undefined) out["x-ms-encryption-key-sha256"] = record.keySha256;
  if (record.encryptionScope !== undefined) out["x-ms-encryption-scope"] = record.encryptionScope;
  if (record.kind !== "block") addKind(out, record);
  if (record.copy !== undefined) addCopy(out, record.copy);
  if (record.immutability !== undefined || record.hasLegalHold === true) addHolds(out, record);
  if (metadata !== undefined) for (const name in metadata) out[`x-ms-meta-${name}`] = metadata[name];
  return out;
}

function addKind(out: Out, record: BlobRecord): void {
  if (record.kind === "append") {
    out["x-ms-blob-committed-block-count"] = String(record.appendCount ?? 0);
    if (record.isSealed === true) out["x-ms-blob-sealed"] = "true";
  } else out["x-ms-blob-sequence-number"] = String(record.sequenceNumber ?? 0n);
}

function addCopy(out: Out, copy: NonNullable<BlobRecord["copy"]>): void {
  out["x-ms-copy-id"] = copy.id;
  out["x-ms-copy-source"] = copy.source;
  out["x-ms-copy-status"] = copy.status;
  out["x-ms-copy-progress"] = `${copy.bytesCopied}/${copy.bytesTotal}`;
  if (copy.description !== undefined) out["x-ms-copy-status-description"] = copy.description;
  if (copy.completedAt !== undefined) out["x-ms-copy-completion-time"] = printHttpDate(copy.completedAt);
  if (copy.isIncremental === true) out["x-ms-incremental-copy"] = "true";
  if (copy.destinationSnapshot !== undefined) {
    out["x-ms-copy-destination-snapshot"] = timestampOf(copy.destinationSnapshot);
  }
}

function addHolds(out: Out, { immutability, hasLegalHold }: BlobRecord): void {
  if (immutability !== undefined) {
    out["x-ms-immutability-policy-until-date"] = printHttpDate(immutability.until);
    out["x-ms-immutability-policy-mode"] = immutability.mode;
  }
  if (hasLegalHold === true) out["x-ms-legal-hold"] = "true";
}

/** What Get Blob Properties reports beyond that. */
export function propertyHeaders({ record }: BlobView): Out {
  const out = tierHeaders(record);
  if (record.expiresAt !== undefined) out["x-ms-expiry-time"] = printHttpDate(record.expiresAt);
  return out;
}

export function tierHeaders(record: BlobRecord): Out {
  const out: Out = {};
  const { rehydrate } = record;
  if (record.kind === "block" || record.tier !== undefined) {
    out["x-ms-access-tier"] = record.tier ?? "Hot";
    if (record.tier === undefined) out["x-ms-access-tier-inferred"] = "true";
    if (record.tier === "Smart") out["x-ms-smart-access-tier"] = "Hot";
  }
  if (record.tierChangedAt !== undefined)
    out["x-ms-access-tier-change-time"] = printHttpDate(record.tierChangedAt);
  if (rehydrate !== undefined) {
    out["x-ms-archive-status"] = `rehydrate-pending-to-${rehydrate.to.toLowerCase()}`;
    out["x-ms-rehydrate-priority"] = rehydrate.priority;
  }
  return out;
}

/** Which digests the reply to a write has: the MD5 that the client sent, or the CRC64; since 2026 both. */
export function wantedDigests({ headers, version }: Pick<HttpRequest, "headers" | "version">): {
  readonly md5: boolean;
  readonly crc64: boolean;
} {
  if (!isSince(version, "x-ms-content-crc64")) return { md5: true, crc64: false };
  const md5 = headers["content-md5"] !== undefined;
  return { md5, crc64: !md5 || isSince(version, "bothDigests") };
}

/** Of content that has been read to its end. */
export function digestHeaders(request: HttpRequest, content: Buffer | BodyStream): ReplyHeaders {
  const { md5, crc64 } = wantedDigests(request);
  const declared = request.headers["content-md5"];
  const computed = Buffer.isBuffer(content)
    ? checkBytes(content, { declared: {}, wantsMd5: md5 && declared === undefined, wantsCrc64: crc64 })
    : content;
  return {
    "Content-MD5": md5 ? (declared ?? computed.md5) : undefined,
    "x-ms-content-crc64": crc64 ? computed.crc64 : undefined,
  };
}

/** The reply to a write of a part of a blob: no version, but digests. */
export function partWrittenHeaders(written: Written, digests: ReplyHeaders, headers: Headers): Out {
  const out: Out = {
    ETag: quotedEtag(written.revision),
    "Last-Modified": printHttpDate(instantOf(written.revision)),
    "x-ms-request-server-encrypted": "true",
    "x-ms-content-crc64": digests["x-ms-content-crc64"] as string | undefined,
    "Content-MD5": digests["Content-MD5"] as string | undefined,
  };
  if (written.keySha256 !== undefined) out["x-ms-encryption-key-sha256"] = written.keySha256;
  if (written.encryptionScope !== undefined) out["x-ms-encryption-scope"] = written.encryptionScope;
  if (headers["x-ms-structured-body"] !== undefined) out["x-ms-structured-body"] = STRUCTURED_BODY;
  return out;
}

/** The reply to a write of a whole blob. */
export function writtenHeaders(written: Written): Out {
  return {
    ETag: quotedEtag(written.revision),
    "Last-Modified": printHttpDate(instantOf(written.revision)),
    "x-ms-version-id": written.version === undefined ? undefined : timestampOf(written.version),
    "x-ms-request-server-encrypted": "true",
    "x-ms-encryption-key-sha256": written.keySha256,
    "x-ms-encryption-scope": written.encryptionScope,
  };
}
