import type { Instant } from "../../base/clock.ts";
import { badQuery } from "../../base/refusals.ts";
import { instantOf, timestampOf } from "../../base/revision.ts";
import { quotedEtag } from "../../concurrency/etag.ts";
import { type Lease, leaseStatus } from "../../concurrency/lease.ts";
import { versionOfDeletion } from "../../services/file/delete-share.ts";
import { type ListedShare, listShares, type SharePosition } from "../../services/file/list-shares.ts";
import { serviceEndpoint, XML } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";
import { decodeMarker, encodeMarker, printListParams, readListParams } from "../wire/list-params.ts";
import { printMetadataXml } from "../wire/metadata.ts";
import { PrintedPage, printListing } from "../wire/printed-page.ts";
import { element, optionalElement, textElement } from "../wire/xml-print.ts";
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
  const body = printListing({
    attributes: { ServiceEndpoint: serviceEndpoint(request) },
    head: printListParams(params),
    name: "Shares",
    page,
    nextMarker: next === undefined ? "" : encodeMarker(scope, [next.name, String(next.skip)]),
  });
  return { status: 200, headers: XML, body };
}

function positionOf(marker: string, scope: string): SharePosition {
  const [name, skip] = decodeMarker(scope, marker);
  if (name === undefined || skip === undefined || !/^\d{1,6}$/.test(skip)) {
    throw badQuery("marker", marker, "The marker is not valid.");
  }
  return { name, skip: Number(skip) };
}

const DAY_MILLIS = 24 * 60 * 60_000;

function printShare(
  { name, info, snapshot, deletion }: ListedShare,
  withMetadata: boolean,
  now: Instant,
): string {
  const { settings, deleted } = info;
  const { state, status, duration } = leaseStatus(info.lease as Lease | undefined, now);
  const isSnapshot = snapshot !== undefined;
  const { before, after } = printSettings(settings, now);
  const properties =
    textElement("Last-Modified", printHttpDate(instantOf(info.revision))) +
    textElement("Etag", quotedEtag(info.revision)) +
    before +
    (isSnapshot
      ? ""
      : textElement("LeaseStatus", status) +
        textElement("LeaseState", state) +
        optionalElement("LeaseDuration", duration)) +
    after +
    (deleted === undefined
      ? ""
      : textElement("DeletedTime", printHttpDate(deleted.at)) +
        textElement("RemainingRetentionDays", Math.max(0, Math.ceil((deleted.until - now) / DAY_MILLIS))));
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
