import type { Instant } from "../../base/clock.ts";
import { instantOf } from "../../base/revision.ts";
import { quotedEtag } from "../../concurrency/etag.ts";
import {
  type ContainerPosition,
  type ListedContainer,
  listContainers,
} from "../../services/blob/list-containers.ts";
import { versionOfDeletion } from "../../services/blob/restore-container.ts";
import { invalidMarker, listReply, printDeletion, printLease } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";
import { decodeMarker, encodeMarker, printListParams, readListParams } from "../wire/list-params.ts";
import { printMetadataXml } from "../wire/metadata.ts";
import { PrintedPage } from "../wire/printed-page.ts";
import { isSince, type Versioned } from "../wire/since.ts";
import { element, optionalElement, textElement } from "../wire/xml-print.ts";
import type { BlobServices } from "./services.ts";

/** GET /?comp=list */
export async function handleListContainers(
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  const { account } = request.target;
  const params = readListParams(request.query, { include: ["metadata", "deleted", "system"] });
  const scope = `containers ${account}`;
  const withMetadata = params.include.has("metadata");
  const print = (entry: ListedContainer, now: Instant): string =>
    printContainer(entry, { withMetadata, now, version: request.version });
  const { page, next } = await listContainers(blobs, {
    account,
    prefix: params.prefix,
    newPage: (now) =>
      new PrintedPage((entry: ListedContainer) => print(entry, now), { countMax: params.maxResults }),
    includesDeleted: params.include.has("deleted"),
    includesSystem: params.include.has("system"),
    after: params.marker === undefined ? undefined : positionOf(params.marker, scope),
  });
  return listReply(request, {
    head: printListParams(params),
    name: "Containers",
    page,
    nextMarker: next === undefined ? "" : encodeMarker(scope, partsOf(next)),
  });
}

function partsOf({ container, deletion }: ContainerPosition): string[] {
  return deletion === undefined ? [container] : [container, String(deletion)];
}

function positionOf(marker: string, scope: string): ContainerPosition {
  const [container, deletion] = decodeMarker(scope, marker);
  if (container === undefined || (deletion !== undefined && !/^\d{1,20}$/.test(deletion))) {
    throw invalidMarker();
  }
  return deletion === undefined ? { container } : { container, deletion: BigInt(deletion) };
}

interface PrintOptions {
  readonly withMetadata: boolean;
  readonly now: Instant;
  readonly version: string;
}

function printContainer(
  { record, container, deletion }: ListedContainer,
  { withMetadata, now, version }: PrintOptions,
): string {
  const { encryptionScope, hasVersionLevelImmutability } = record;
  const since = (name: Versioned, value: string | boolean): string =>
    isSince(version, name) ? textElement(name, value) : "";
  const properties =
    textElement("Last-Modified", printHttpDate(instantOf(record.revision))) +
    textElement("Etag", quotedEtag(record.revision)) +
    printLease(record.lease, now) +
    optionalElement("PublicAccess", record.publicAccess) +
    since("DefaultEncryptionScope", encryptionScope?.name ?? "$account-encryption-key") +
    since("DenyEncryptionScopeOverride", encryptionScope?.isEnforced ?? false) +
    textElement("HasImmutabilityPolicy", false) +
    textElement("HasLegalHold", false) +
    since("ImmutableStorageWithVersioningEnabled", hasVersionLevelImmutability ?? false) +
    printDeletion(record.deleted, now);
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
