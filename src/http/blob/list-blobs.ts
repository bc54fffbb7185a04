import type { Instant } from "../../base/clock.ts";
import { badQuery, Refusal } from "../../base/refusals.ts";
import { etagOf, instantOf, timestampOf } from "../../base/revision.ts";
import { leaseStatus } from "../../concurrency/lease.ts";
import { type BlobPosition, type ListedBlob, listBlobs } from "../../services/blob/list-blobs.ts";
import type { BlobRecord } from "../../services/blob/records.ts";
import { invalidMarker, listReply, printDeletion } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";
import { decodeMarker, encodeMarker, printListParams, readListParams } from "../wire/list-params.ts";
import { printMetadataXml } from "../wire/metadata.ts";
import { PrintedPage } from "../wire/printed-page.ts";
import { encodedElement, escapeText, optionalElement, textElement } from "../wire/xml-print.ts";
import { arrowReply, wantsArrow } from "./list-blobs-arrow.ts";
import { mayTouchTags, readContainerRef } from "./read-request.ts";
import { BLOB_TYPES, contentTypeOf } from "./replies.ts";
import type { BlobServices } from "./services.ts";
import { printTags } from "./tags-wire.ts";

const INCLUDE = [
  "snapshots",
  "metadata",
  "uncommittedblobs",
  "copy",
  "deleted",
  "tags",
  "versions",
  "deletedwithversions",
  "immutabilitypolicy",
  "legalhold",
  "permissions",
];

/** GET /{container}?restype=container&comp=list, flat or with a delimiter */
export async function handleListBlobs(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const ref = readContainerRef(request);
  const params = readListParams(request.query, { include: INCLUDE });
  const { include, delimiter } = params;
  if (delimiter !== undefined && include.has("snapshots")) {
    throw badQuery("include", "snapshots", "Snapshots cannot be listed by hierarchy.");
  }
  if (include.has("tags") && !mayTouchTags(request.caller)) {
    throw new Refusal("AuthorizationPermissionMismatch");
  }
  const scope = `blobs ${ref.account}/${ref.container}`;
  const print = (item: ListedBlob, now: Instant): string =>
    "prefix" in item
      ? `<BlobPrefix>${encodedElement("Name", item.prefix)}</BlobPrefix>`
      : printBlob(item, include, now);
  const { page, next } = await listBlobs(blobs, {
    ref,
    prefix: params.prefix,
    delimiter,
    maxResults: params.maxResults,
    newPage: (now) =>
      new PrintedPage((item: ListedBlob) => print(item, now), { countMax: params.maxResults }),
    include: {
      snapshots: include.has("snapshots"),
      versions: include.has("versions"),
      deleted: include.has("deleted"),
      uncommitted: include.has("uncommittedblobs"),
      deletedWithVersions: include.has("deletedwithversions") && !include.has("versions"),
    },
    startFrom: request.query.get("startfrom") || undefined,
    endBefore: request.query.get("endbefore") || undefined,
    from: params.marker === undefined ? undefined : positionOf(params.marker, scope),
  });
  const nextMarker = next === undefined ? "" : encodeMarker(scope, partsOf(next));
  if (wantsArrow(request)) return arrowReply(page, { include, nextMarker, scheduler: blobs.scheduler });
  return listReply(request, {
    attributes: { ContainerName: ref.container },
    head: printListParams(params),
    name: "Blobs",
    page,
    nextMarker,
  });
}

function partsOf(position: BlobPosition): string[] {
  if ("prefix" in position) return ["folder", position.prefix];
  return position.at === undefined ? ["blob", position.blob] : ["past", position.blob, String(position.at)];
}

function positionOf(marker: string, scope: string): BlobPosition {
  const [kind, name, id] = decodeMarker(scope, marker);
  if (name !== undefined) {
    if (kind === "folder") return { prefix: name };
    if (kind === "blob") return { blob: name };
    if (kind === "past" && id !== undefined && /^\d{1,20}$/.test(id)) return { blob: name, at: BigInt(id) };
  }
  throw invalidMarker();
}

/** One entry, its elements in the order of Azure. */
function printBlob(
  { blob, at, record, hasVersionsOnly }: Extract<ListedBlob, { readonly blob: string }>,
  include: ReadonlySet<string>,
  now: Instant,
): string {
  let out = `<Blob>${encodedElement("Name", blob)}`;
  if (at !== undefined && record.stateKind === "snapshot") out += textElement("Snapshot", timestampOf(at));
  if (record.version !== undefined && record.stateKind !== "snapshot") {
    out += textElement("VersionId", timestampOf(record.version));
    if (record.stateKind === undefined) out += "<IsCurrentVersion>true</IsCurrentVersion>";
  }
  if (hasVersionsOnly === true) out += "<HasVersionsOnly>true</HasVersionsOnly>";
  if (record.deleted !== undefined) out += "<Deleted>true</Deleted>";
  out += `<Properties>${printProperties(record, include, now)}</Properties>`;
  if (include.has("metadata")) out += printMetadataXml(record.metadata ?? {});
  if (include.has("tags") && record.tags !== undefined) out += printTags(record.tags);
  return `${out}<OrMetadata /></Blob>`;
}

function printProperties(record: BlobRecord, include: ReadonlySet<string>, now: Instant): string {
  const { http } = record;
  const isUncommitted = record.isUncommitted === true;
  let out = "";
  if (isUncommitted) out += "<Content-Length>0</Content-Length>";
  else {
    out +=
      `<Creation-Time>${printHttpDate(instantOf(record.created))}</Creation-Time>` +
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
  if (record.stateKind === undefined && record.deleted === undefined) {
    const { state, status, duration } = leaseStatus(record.lease, now);
    out += `<LeaseStatus>${status}</LeaseStatus><LeaseState>${state}</LeaseState>`;
    out += optionalElement("LeaseDuration", duration);
  }
  if (include.has("copy") && record.copy !== undefined) out += printCopy(record.copy);
  out += `<ServerEncrypted>${!isUncommitted}</ServerEncrypted>`;
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
  return out + printDeletion(record.deleted, now);
}

/** An absent value is an empty element, as Azure prints it. */
function field(name: string, value: string | undefined): string {
  return value === undefined ? `<${name} />` : `<${name}>${escapeText(value)}</${name}>`;
}

function printTier({ kind, tier, tierChangedAt, rehydrate }: BlobRecord): string {
  if (kind !== "block" && tier === undefined) return "";
  let out = `<AccessTier>${tier ?? "Hot"}</AccessTier>`;
  if (tier === undefined) out += "<AccessTierInferred>true</AccessTierInferred>";
  if (tier === "Smart") out += "<SmartAccessTier>Hot</SmartAccessTier>";
  if (rehydrate !== undefined) {
    out += textElement("ArchiveStatus", `rehydrate-pending-to-${rehydrate.to.toLowerCase()}`);
    out += textElement("RehydratePriority", rehydrate.priority);
  }
  if (tierChangedAt !== undefined) out += textElement("AccessTierChangeTime", printHttpDate(tierChangedAt));
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
