import type { Instant } from "../../base/clock.ts";
import { instantOf, timestampOf } from "../../base/revision.ts";
import { quotedEtag } from "../../concurrency/etag.ts";
import type { Lease } from "../../concurrency/lease.ts";
import { versionOfDeletion } from "../../services/file/delete-share.ts";
import { type ListedShare, listShares, type SharePosition } from "../../services/file/list-shares.ts";
import { invalidMarker, listReply, printDeletion, printLease } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";
import { decodeMarker, encodeMarker, printListParams, readListParams } from "../wire/list-params.ts";
import { printMetadataXml } from "../wire/metadata.ts";
import { PrintedPage } from "../wire/printed-page.ts";
import { element, textElement } from "../wire/xml-print.ts";
import type { FileServices } from "./services.ts";
import { printSettings } from "./share-settings.ts";

/** GET /?comp=list */
export async function handleListShares(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const { account } = request.target;
  const params = readListParams(request.query, { include: ["snapshots", "metadata", "deleted"] });
  const scope = `shares ${account}`;
  const withMetadata = params.include.has("metadata");
  const { page, next } = await listShares(files, {
    account,
    prefix: params.prefix,
    newPage: (now) =>
      new PrintedPage((share: ListedShare) => printShare(share, withMetadata, now), {
        countMax: params.maxResults,
      }),
    includesDeleted: params.include.has("deleted"),
    includesSnapshots: params.include.has("snapshots"),
    from: params.marker === undefined ? undefined : positionOf(params.marker, scope),
  });
  return listReply(request, {
    head: printListParams(params),
    name: "Shares",
    page,
    nextMarker: next === undefined ? "" : encodeMarker(scope, [next.name, String(next.skip)]),
  });
}

function positionOf(marker: string, scope: string): SharePosition {
  const [name, skip] = decodeMarker(scope, marker);
  if (name === undefined || skip === undefined || !/^\d{1,6}$/.test(skip)) {
    throw invalidMarker();
  }
  return { name, skip: Number(skip) };
}

/** The lease of every deleted share. */
const BROKEN: Lease = { state: "broken", id: "" };

function printShare(
  { name, info, snapshot, deletion }: ListedShare,
  withMetadata: boolean,
  now: Instant,
): string {
  const { settings, deleted } = info;
  const properties =
    textElement("Last-Modified", printHttpDate(instantOf(info.revision))) +
    textElement("Etag", quotedEtag(info.revision)) +
    printLease(deletion === undefined ? info.lease : BROKEN, now) +
    textElement("Quota", settings.quotaGib) +
    (snapshot === undefined ? printSettings(settings, now) : "") +
    textElement("DefaultEncryptionScope", "$account-encryption-key") +
    textElement("DenyEncryptionScopeOverride", false) +
    printDeletion(deleted, now);
  return element(
    "Share",
    textElement("Name", name) +
      (snapshot === undefined ? "" : textElement("Snapshot", timestampOf(snapshot))) +
      (deletion === undefined
        ? ""
        : textElement("Deleted", true) + textElement("Version", versionOfDeletion(deletion))) +
      element("Properties", properties) +
      (withMetadata ? printMetadataXml(info.metadata ?? {}) : ""),
  );
}
