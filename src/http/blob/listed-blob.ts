import type { Instant } from "../../base/clock.ts";
import { etagOf, instantOf, timestampOf } from "../../base/revision.ts";
import { leaseStatus } from "../../concurrency/lease.ts";
import type { ListedBlob } from "../../services/blob/list-blobs.ts";
import type { BlobRecord } from "../../services/blob/records.ts";
import { daysLeft } from "../../services/blob/retention.ts";
import { printHttpDate } from "../wire/dates.ts";
import { printMetadataXml } from "../wire/metadata.ts";
import { encodedElement, escapeText, optionalElement, textElement } from "../wire/xml-print.ts";
import { BLOB_TYPES, contentTypeOf } from "./blob-replies.ts";
import { printTags } from "./tags-wire.ts";

/** One entry of List Blobs, elements in the order the service prints them. Thousands of these make a page. */
export function printBlob(
  { blob, past, record, hasVersionsOnly }: Extract<ListedBlob, { readonly blob: string }>,
  include: ReadonlySet<string>,
  now: Instant,
): string {
  let out = `<Blob>${encodedElement("Name", blob)}`;
  if (past !== undefined && record.past === "snapshot") out += textElement("Snapshot", timestampOf(past));
  if (record.version !== undefined && record.past !== "snapshot") {
    out += textElement("VersionId", timestampOf(record.version));
    if (record.past === undefined && include.has("versions"))
      out += "<IsCurrentVersion>true</IsCurrentVersion>";
  }
  if (record.deleted !== undefined) out += "<Deleted>true</Deleted>";
  out += `<Properties>${printProperties(record, include, now)}</Properties>`;
  if (include.has("metadata")) out += printMetadataXml(record.metadata ?? {});
  if (include.has("tags") && record.tags !== undefined) out += printTags(record.tags);
  if (hasVersionsOnly === true) out += "<HasVersionsOnly>true</HasVersionsOnly>";
  return `${out}<OrMetadata /></Blob>`;
}

function printProperties(record: BlobRecord, include: ReadonlySet<string>, now: Instant): string {
  const { http } = record;
  let out = `<Creation-Time>${printHttpDate(instantOf(record.created))}</Creation-Time>`;
  if (record.isUncommitted === true) out += "<Content-Length>0</Content-Length>";
  else {
    out +=
      `<Last-Modified>${printHttpDate(instantOf(record.revision))}</Last-Modified>` +
      `<Etag>${etagOf(record.revision)}</Etag>` +
      `<Content-Length>${record.length}</Content-Length>` +
      field("Content-Type", contentTypeOf(http)) +
      field("Content-Encoding", http.contentEncoding) +
      field("Content-Language", http.contentLanguage) +
      "<Content-CRC64 />" +
      field("Content-MD5", http.contentMd5) +
      field("Cache-Control", http.cacheControl) +
      field("Content-Disposition", http.contentDisposition);
  }
  if (record.kind === "page")
    out += textElement("x-ms-blob-sequence-number", String(record.sequenceNumber ?? 0n));
  out += `<BlobType>${BLOB_TYPES[record.kind]}</BlobType>`;
  out += printTier(record);
  if (record.past === undefined && record.deleted === undefined) {
    const { state, status, duration } = leaseStatus(record.lease, now);
    out += `<LeaseStatus>${status}</LeaseStatus><LeaseState>${state}</LeaseState>`;
    out += optionalElement("LeaseDuration", duration);
  }
  if (include.has("copy") && record.copy !== undefined) out += printCopy(record.copy);
  out += "<ServerEncrypted>true</ServerEncrypted>";
  out += optionalElement("CustomerProvidedKeySha256", record.keySha256);
  out += optionalElement("EncryptionScope", record.encryptionScope);
  if (record.isSealed === true) out += "<Sealed>true</Sealed>";
  if (record.expiresAt !== undefined) out += textElement("Expiry-Time", printHttpDate(record.expiresAt));
  if (include.has("immutabilitypolicy") && record.immutability !== undefined) {
    out += textElement("ImmutabilityPolicyUntilDate", printHttpDate(record.immutability.until));
    out += textElement("ImmutabilityPolicyMode", record.immutability.mode);
  }
  if (include.has("legalhold") && record.hasLegalHold === true) out += "<LegalHold>true</LegalHold>";
  if (record.tags !== undefined) out += textElement("TagCount", Object.keys(record.tags).length);
  if (record.deleted !== undefined) {
    out += textElement("DeletedTime", printHttpDate(record.deleted.at));
    out += textElement("RemainingRetentionDays", daysLeft(record.deleted.until, now));
  }
  return out;
}

/** Printed empty where there is nothing, as the service does. */
function field(name: string, value: string | undefined): string {
  return value === undefined ? `<${name} />` : `<${name}>${escapeText(value)}</${name}>`;
}

function printTier({ kind, tier, tierChangedAt, rehydrate }: BlobRecord): string {
  if (kind !== "block" && tier === undefined) return "";
  let out = `<AccessTier>${tier ?? "Hot"}</AccessTier>`;
  if (tier === undefined) out += "<AccessTierInferred>true</AccessTierInferred>";
  if (tier === "Smart") out += "<SmartAccessTier>Hot</SmartAccessTier>";
  if (tierChangedAt !== undefined) out += textElement("AccessTierChangeTime", printHttpDate(tierChangedAt));
  if (rehydrate !== undefined) {
    out += textElement("ArchiveStatus", `rehydrate-pending-to-${rehydrate.to.toLowerCase()}`);
    out += textElement("RehydratePriority", rehydrate.priority);
  }
  return out;
}

function printCopy(copy: NonNullable<BlobRecord["copy"]>): string {
  return (
    textElement("CopyId", copy.id) +
    textElement("CopyStatus", copy.status) +
    textElement("CopySource", copy.source) +
    textElement("CopyProgress", `${copy.bytesCopied}/${copy.bytesTotal}`) +
    (copy.completedAt === undefined
      ? ""
      : textElement("CopyCompletionTime", printHttpDate(copy.completedAt))) +
    optionalElement("CopyStatusDescription", copy.description) +
    (copy.isIncremental === true ? "<IncrementalCopy>true</IncrementalCopy>" : "") +
    (copy.destinationSnapshot === undefined
      ? ""
      : textElement("CopyDestinationSnapshot", timestampOf(copy.destinationSnapshot)))
  );
}
