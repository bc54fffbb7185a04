import { badQuery } from "../../base/refusals.js";
import { instantOf, timestampOf } from "../../base/revision.js";
import { leaseStatus } from "../../concurrency/lease.js";
import { versionOfDeletion } from "../../services/file/delete-share.js";
import { listShares as list } from "../../services/file/list-shares.js";
import { printHttpDate } from "../wire/dates.js";
import { decodeMarker, encodeMarker, printListParams, readListParams } from "../wire/list-params.js";
import { printMetadataXml } from "../wire/metadata.js";
import { element, optionalElement, printXml, textElement } from "../wire/xml-print.js";
import { quotedEtag, serviceEndpoint, XML } from "./replies.js";
import { row } from "./rows.js";
/** GET /?comp=list */
async function listShares(request, { files }) {
    const { account } = request.target;
    const params = readListParams(request.query, { include: ["snapshots", "metadata", "deleted"] });
    const scope = `shares ${account}`;
    const page = await list(files, {
        account,
        prefix: params.prefix,
        maxResults: params.maxResults,
        includesDeleted: params.include.has("deleted"),
        includesSnapshots: params.include.has("snapshots"),
        from: params.marker === undefined ? undefined : positionOf(params.marker, scope),
    });
    const withMetadata = params.include.has("metadata");
    let entries = "";
    for (const share of page.shares)
        entries += printShare(share, withMetadata, page.now);
    const next = page.next === undefined ? "" : encodeMarker(scope, [page.next.name, String(page.next.skip)]);
    const content = printListParams(params) + element("Shares", entries) + textElement("NextMarker", next);
    const root = element("EnumerationResults", content, { ServiceEndpoint: serviceEndpoint(request) });
    return { status: 200, headers: XML, body: printXml(root) };
}
function positionOf(marker, scope) {
    const [name, skip] = decodeMarker(scope, marker);
    if (name === undefined || skip === undefined || !/^\d{1,6}$/.test(skip)) {
        throw badQuery("marker", marker, "The marker is not valid.");
    }
    return { name, skip: Number(skip) };
}
const DAY_MILLIS = 24 * 60 * 60_000;
function printShare({ name, facts, snapshot, deletion }, withMetadata, now) {
    const { settings, deleted } = facts;
    const { state, status, duration } = leaseStatus(facts.lease, now);
    const isSnapshot = snapshot !== undefined;
    const properties = textElement("Last-Modified", printHttpDate(instantOf(facts.revision))) +
        textElement("Etag", quotedEtag(facts.revision)) +
        textElement("Quota", settings.quotaGib) +
        optionalElement("ProvisionedIops", settings.provisionedIops) +
        optionalElement("ProvisionedBandwidthMiBps", settings.provisionedMibps) +
        textElement("AccessTier", settings.tier) +
        textElement("AccessTierChangeTime", printHttpDate(settings.tierChangedAt)) +
        (isSnapshot
            ? ""
            : textElement("LeaseStatus", status) +
                textElement("LeaseState", state) +
                optionalElement("LeaseDuration", duration)) +
        textElement("EnabledProtocols", settings.protocols) +
        optionalElement("RootSquash", settings.rootSquash) +
        (deleted === undefined
            ? ""
            : textElement("DeletedTime", printHttpDate(deleted.at)) +
                textElement("RemainingRetentionDays", Math.max(0, Math.ceil((deleted.until - now) / DAY_MILLIS))));
    return element("Share", textElement("Name", name) +
        (snapshot === undefined ? "" : textElement("Snapshot", timestampOf(snapshot))) +
        (deletion === undefined
            ? ""
            : textElement("Deleted", true) + textElement("Version", versionOfDeletion(deletion))) +
        element("Properties", properties) +
        (withMetadata ? printMetadataXml(facts.metadata ?? {}) : ""));
}
export const LIST_SHARES_ROW = row({
    name: "ListShares",
    method: "GET",
    resource: "service",
    query: { comp: "list" },
    permission: { type: "s", account: ["l"], service: [] },
    handle: listShares,
});
