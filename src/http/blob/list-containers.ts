import type { Instant } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { badQuery } from "../../base/refusals.ts";
import { instantOf } from "../../base/revision.ts";
import { quotedEtag } from "../../concurrency/etag.ts";
import { leaseStatus } from "../../concurrency/lease.ts";
import {
  type ContainerPosition,
  type ListedContainer,
  listContainers as list,
} from "../../services/blob/list-containers.ts";
import { versionOfDeletion } from "../../services/blob/restore-container.ts";
import { daysLeft } from "../../services/blob/retention.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";
import { decodeMarker, encodeMarker, printListParams, readListParams } from "../wire/list-params.ts";
import { printMetadataXml } from "../wire/metadata.ts";
import { PrintedPage, printListing } from "../wire/printed-page.ts";
import { element, optionalElement, textElement } from "../wire/xml-print.ts";
import { XML } from "./replies.ts";
import { type BlobRow, type BlobServices, row } from "./rows.ts";
import { serviceEndpoint } from "./service-endpoint.ts";

/** GET /?comp=list */
async function listContainers(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { account } = request.target;
  const params = readListParams(request.query, { include: ["metadata", "deleted", "system"] });
  const scope = `containers ${account}`;
  const withMetadata = params.include.has("metadata");
  const { page, next } = await list(blobs, {
    account,
    prefix: params.prefix,
    newPage: (now) =>
      new PrintedPage((entry: ListedContainer) => printContainer(entry, withMetadata, now), {
        countMax: params.maxResults,
      }),
    includesDeleted: params.include.has("deleted"),
    includesSystem: params.include.has("system"),
    after: params.marker === undefined ? undefined : positionOf(params.marker, scope),
  });
  const body = printListing({
    attributes: { ServiceEndpoint: serviceEndpoint(request) },
    head: printListParams(params),
    name: "Containers",
    page,
    nextMarker: next === undefined ? "" : encodeMarker(scope, partsOf(next)),
  });
  return { status: 200, headers: XML, body };
}

function partsOf({ container, deletion }: ContainerPosition): string[] {
  return deletion === undefined ? [container] : [container, String(deletion)];
}

function positionOf(marker: string, scope: string): ContainerPosition {
  const [container, deletion] = decodeMarker(scope, marker);
  if (container === undefined || (deletion !== undefined && !/^\d{1,20}$/.test(deletion))) {
    throw badQuery("marker", marker, "The marker is not valid.");
  }
  return deletion === undefined ? { container } : { container, deletion: BigInt(deletion) };
}

function printContainer(entry: ListedContainer, withMetadata: boolean, now: Instant): string {
  const { record, container, deletion } = entry;
  const { state, status, duration } = leaseStatus(record.lease, now);
  const properties =
    textElement("Last-Modified", printHttpDate(instantOf(record.revision))) +
    textElement("Etag", quotedEtag(record.revision)) +
    textElement("LeaseStatus", status) +
    textElement("LeaseState", state) +
    optionalElement("LeaseDuration", duration) +
    optionalElement("PublicAccess", record.publicAccess) +
    textElement("DefaultEncryptionScope", record.encryptionScope?.name ?? "$account-encryption-key") +
    textElement("DenyEncryptionScopeOverride", record.encryptionScope?.isEnforced ?? false) +
    textElement("HasImmutabilityPolicy", false) +
    textElement("HasLegalHold", false) +
    textElement("ImmutableStorageWithVersioningEnabled", record.hasVersionLevelImmutability ?? false) +
    (record.deleted === undefined
      ? ""
      : textElement("DeletedTime", printHttpDate(record.deleted.at)) +
        textElement("RemainingRetentionDays", daysLeft(record.deleted.until, now)));
  return element(
    "Container",
    textElement("Name", container) +
      (deletion === undefined
        ? ""
        : textElement("Deleted", true) + textElement("Version", versionOfDeletion(deletion))) +
      element("Properties", properties) +
      (withMetadata ? printMetadataXml(record.metadata ?? {}) : ""),
  );
}

export const LIST_CONTAINERS_ROW: BlobRow = row({
  name: "ListContainers",
  method: "GET",
  resource: "service",
  query: { comp: "list" },
  permission: { type: "s", account: ["l"], service: [] },
  replyBytesMax: LIMITS.listPageBytesMax,
  handle: listContainers,
});
