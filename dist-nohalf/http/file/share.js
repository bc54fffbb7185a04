import { FILE_LIMITS } from "../../base/limits-file.js";
import { badHeader, Refusal } from "../../base/refusals.js";
import { timestampOf } from "../../base/revision.js";
import { createShare as create } from "../../services/file/create-share.js";
import { deleteShare as remove, restoreShare as restore } from "../../services/file/delete-share.js";
import { getShare, getShareStatistics as getStatistics, setShareMetadata as setMetadata, setShareProperties as setProperties, } from "../../services/file/share-properties.js";
import { createSnapshot } from "../../services/file/snapshots.js";
import { printHttpDate } from "../wire/dates.js";
import { printMetadata, readMetadata } from "../wire/metadata.js";
import { element, printXml, textElement } from "../wire/xml-print.js";
import { readFlag, readLeaseId, readShareRef, readWhole, requireHeader, snapshotOf } from "./read-request.js";
import { leaseHeaders, stamp, XML } from "./replies.js";
import { getAndHead, onShare, row } from "./rows.js";
/** Shares: create, read, change, snapshot, delete, restore. */
const TIERS = ["TransactionOptimized", "Hot", "Cool", "Premium"];
const SQUASHES = ["NoRootSquash", "RootSquash", "AllSquash"];
export function readRef(request) {
    return { ...readShareRef(request), ...snapshotOf(request) };
}
function readWord(headers, name, words) {
    const text = headers[name];
    if (text === undefined || text === "")
        return undefined;
    const known = words.find((word) => word.toLowerCase() === text.toLowerCase());
    if (known === undefined)
        throw badHeader(name, text);
    return known;
}
function readProtocols(headers) {
    return (readWord(headers, "x-ms-enabled-protocols", ["SMB", "NFS"]) ?? "SMB");
}
const MANY = { min: 0, max: 10_000_000 };
function readSettings(headers) {
    const isBursting = readFlag(headers, "x-ms-share-paid-bursting-enabled");
    const iops = readWhole(headers, "x-ms-share-paid-bursting-max-iops", MANY);
    const mibps = readWhole(headers, "x-ms-share-paid-bursting-max-bandwidth-mibps", MANY);
    return {
        quotaGib: readWhole(headers, "x-ms-share-quota", { min: 1, max: FILE_LIMITS.shareQuotaGibMax }),
        tier: readWord(headers, "x-ms-access-tier", TIERS),
        rootSquash: readWord(headers, "x-ms-root-squash", SQUASHES),
        snapshotDirectoryAccess: readFlag(headers, "x-ms-enable-snapshot-virtual-directory-access"),
        directoryLease: readFlag(headers, "x-ms-enable-smb-directory-lease"),
        paidBursting: isBursting === undefined
            ? undefined
            : {
                isEnabled: isBursting,
                ...(iops === undefined ? {} : { iops }),
                ...(mibps === undefined ? {} : { mibps }),
            },
        provisionedIops: readWhole(headers, "x-ms-share-provisioned-iops", MANY),
        provisionedMibps: readWhole(headers, "x-ms-share-provisioned-bandwidth-mibps", MANY),
    };
}
function withoutUndefined(value) {
    return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));
}
async function createShare(request, { files }) {
    const { headers } = request;
    const settings = {
        quotaGib: FILE_LIMITS.shareQuotaGibDefault,
        tier: "TransactionOptimized",
        ...withoutUndefined(readSettings(headers)),
        protocols: readProtocols(headers),
    };
    const metadata = readMetadata(request.rawHeaders);
    const share = await create(files, { ref: readShareRef(request), settings, metadata });
    return { status: 201, headers: { ...stamp(share.revision), ...quotaHeaders(share) } };
}
function quotaHeaders({ settings }) {
    return {
        "x-ms-share-quota": String(settings.quotaGib),
        "x-ms-share-provisioned-iops": settings.provisionedIops?.toString(),
        "x-ms-share-provisioned-bandwidth-mibps": settings.provisionedMibps?.toString(),
    };
}
async function getShareProperties(request, { files }) {
    const { facts, now } = await getShare(files, {
        ref: readRef(request),
        leaseId: readLeaseId(request.headers),
    });
    const { settings } = facts;
    return {
        status: 200,
        headers: {
            ...stamp(facts.revision),
            ...printMetadata(facts.metadata ?? {}),
            ...leaseHeaders(facts.lease, now),
            ...quotaHeaders(facts),
            "x-ms-access-tier": settings.tier,
            "x-ms-access-tier-change-time": printHttpDate(settings.tierChangedAt),
            "x-ms-enabled-protocols": settings.protocols,
            "x-ms-root-squash": settings.rootSquash ?? (settings.protocols === "NFS" ? "NoRootSquash" : undefined),
            "x-ms-enable-snapshot-virtual-directory-access": settings.snapshotDirectoryAccess?.toString(),
            "x-ms-enable-smb-directory-lease": settings.directoryLease?.toString(),
            "x-ms-share-paid-bursting-enabled": settings.paidBursting?.isEnabled.toString(),
            "x-ms-share-paid-bursting-max-iops": settings.paidBursting?.iops?.toString(),
            "x-ms-share-paid-bursting-max-bandwidth-mibps": settings.paidBursting?.mibps?.toString(),
            "x-ms-has-immutability-policy": "false",
            "x-ms-has-legal-hold": "false",
        },
    };
}
async function getShareMetadata(request, { files }) {
    const { facts } = await getShare(files, { ref: readRef(request), leaseId: readLeaseId(request.headers) });
    return { status: 200, headers: { ...stamp(facts.revision), ...printMetadata(facts.metadata ?? {}) } };
}
async function setShareProperties(request, { files }) {
    const share = await setProperties(files, {
        ref: readRef(request),
        leaseId: readLeaseId(request.headers),
        changes: readSettings(request.headers),
    });
    return { status: 200, headers: { ...stamp(share.revision), ...quotaHeaders(share) } };
}
async function setShareMetadata(request, { files }) {
    const share = await setMetadata(files, {
        ref: readRef(request),
        leaseId: readLeaseId(request.headers),
        metadata: readMetadata(request.rawHeaders),
    });
    return { status: 200, headers: stamp(share.revision) };
}
async function getShareStatistics(request, { files }) {
    const { revision, bytes } = await getStatistics(files, {
        ref: readShareRef(request),
        leaseId: readLeaseId(request.headers),
    });
    const body = printXml(element("ShareStats", textElement("ShareUsageBytes", bytes)));
    return { status: 200, headers: { ...stamp(revision), ...XML }, body };
}
async function snapshotShare(request, { files }) {
    const metadata = readMetadata(request.rawHeaders);
    const snapshot = await createSnapshot(files, readShareRef(request), metadata);
    const headers = { ...stamp(snapshot.revision), "x-ms-snapshot": timestampOf(snapshot.time) };
    return { status: 201, headers };
}
async function deleteShare(request, { files }) {
    const name = "x-ms-delete-snapshots";
    const ref = readRef(request);
    const snapshots = readWord(request.headers, name, ["include", "include-leased"]);
    if (ref.snapshot !== undefined && snapshots !== undefined)
        throw badHeader(name, snapshots);
    const { bytes } = await remove(files, {
        ref,
        leaseId: readLeaseId(request.headers),
        snapshots: snapshots,
    });
    const headers = { "x-ms-file-share-usage-bytes": ref.snapshot === undefined ? String(bytes) : undefined };
    return { status: 202, headers };
}
async function restoreShare(request, { files }) {
    if (request.query.has("sharesnapshot"))
        throw new Refusal("ShareSnapshotOperationNotSupported");
    const share = await restore(files, {
        ref: readShareRef(request),
        deletedName: requireHeader(request.headers, "x-ms-deleted-share-name"),
        deletedVersion: requireHeader(request.headers, "x-ms-deleted-share-version"),
    });
    return { status: 201, headers: { ...stamp(share.revision), ...quotaHeaders(share) } };
}
const resource = "share";
const restype = "share";
export const SHARE_ROWS = [
    row({
        name: "CreateShare",
        method: "PUT",
        resource,
        query: { restype },
        permission: onShare(["c", "w"]),
        returnsEtag: true,
        ok: [201],
        handle: createShare,
    }),
    ...getAndHead({
        name: "GetShareProperties",
        resource,
        query: { restype },
        permission: onShare(["r"]),
        returnsEtag: true,
        lease: "checked",
        handle: getShareProperties,
    }),
    ...getAndHead({
        name: "GetShareMetadata",
        resource,
        query: { restype, comp: "metadata" },
        permission: onShare(["r"]),
        returnsEtag: true,
        lease: "checked",
        handle: getShareMetadata,
    }),
    row({
        name: "SetShareProperties",
        method: "PUT",
        resource,
        query: { restype, comp: "properties" },
        permission: onShare(["w"]),
        returnsEtag: true,
        lease: "checked",
        handle: setShareProperties,
    }),
    row({
        name: "SetShareMetadata",
        method: "PUT",
        resource,
        query: { restype, comp: "metadata" },
        permission: onShare(["w"]),
        returnsEtag: true,
        lease: "checked",
        handle: setShareMetadata,
    }),
    row({
        name: "GetShareStats",
        method: "GET",
        resource,
        query: { restype, comp: "stats" },
        permission: onShare(["r"]),
        returnsEtag: true,
        lease: "checked",
        handle: getShareStatistics,
    }),
    row({
        name: "SnapshotShare",
        method: "PUT",
        resource,
        query: { restype, comp: "snapshot" },
        permission: onShare(["c", "w"]),
        returnsEtag: true,
        ok: [201],
        handle: snapshotShare,
    }),
    row({
        name: "DeleteShare",
        method: "DELETE",
        resource,
        query: { restype },
        permission: onShare(["d"]),
        lease: "checked",
        ok: [202],
        handle: deleteShare,
    }),
    row({
        name: "RestoreShare",
        method: "PUT",
        resource,
        query: { restype, comp: "undelete" },
        permission: onShare(["w"]),
        returnsEtag: true,
        ok: [201],
        handle: restoreShare,
    }),
];
