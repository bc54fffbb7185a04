import { badHeader, Refusal } from "../../base/refusals.ts";
import { timestampOf } from "../../base/revision.ts";
import { createShare as create } from "../../services/file/create-share.ts";
import { deleteShare as remove, restoreShare as restore } from "../../services/file/delete-share.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import type { SnapshotRef } from "../../services/file/names.ts";
import type { ShareSettings } from "../../services/file/records.ts";
import {
  getShare,
  getShareStatistics as getStatistics,
  type SettingChanges,
  setShareMetadata as setMetadata,
  setShareProperties as setProperties,
} from "../../services/file/share-properties.ts";
import { createSnapshot } from "../../services/file/snapshots.ts";
import type { Headers, HttpReply, HttpRequest } from "../exchange.ts";
import { printMetadata, readMetadata } from "../wire/metadata.ts";
import { element, printXml, textElement } from "../wire/xml-print.ts";
import { readFlag, readLeaseId, readShareRef, readWhole, requireHeader, snapshotOf } from "./read-request.ts";
import { leaseHeaders, stamp, XML } from "./replies.ts";
import { type FileRow, type FileServices, getAndHead, onShare, row } from "./rows.ts";
import { downgradeHeaders, quotaHeaders, settingHeaders } from "./share-settings.ts";

/** Shares: create, read, change, snapshot, delete, restore. */
const TIERS = ["TransactionOptimized", "Hot", "Cool", "Premium"];
const SQUASHES = ["NoRootSquash", "RootSquash", "AllSquash"];

export function readRef(request: HttpRequest): SnapshotRef {
  return { ...readShareRef(request), ...snapshotOf(request) };
}

function readWord(headers: Headers, name: string, words: readonly string[]): string | undefined {
  const text = headers[name];
  if (text === undefined || text === "") return undefined;
  const known = words.find((word) => word.toLowerCase() === text.toLowerCase());
  if (known === undefined) throw badHeader(name, text);
  return known;
}

function readProtocols(headers: Headers): "SMB" | "NFS" {
  return (readWord(headers, "x-ms-enabled-protocols", ["SMB", "NFS"]) ?? "SMB") as "SMB" | "NFS";
}

const MANY = { min: 0, max: 10_000_000 } as const;

function readSettings(headers: Headers): SettingChanges {
  const isBursting = readFlag(headers, "x-ms-share-paid-bursting-enabled");
  const iops = readWhole(headers, "x-ms-share-paid-bursting-max-iops", MANY);
  const mibps = readWhole(headers, "x-ms-share-paid-bursting-max-bandwidth-mibps", MANY);
  return {
    quotaGib: readWhole(headers, "x-ms-share-quota", { min: 1, max: FILE_LIMITS.shareQuotaGibMax }),
    tier: readWord(headers, "x-ms-access-tier", TIERS),
    rootSquash: readWord(headers, "x-ms-root-squash", SQUASHES),
    snapshotDirectoryAccess: readFlag(headers, "x-ms-enable-snapshot-virtual-directory-access"),
    directoryLease: readFlag(headers, "x-ms-enable-smb-directory-lease"),
    paidBursting:
      isBursting === undefined
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

function withoutUndefined<T extends object>(value: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as never;
}

async function createShare(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const { headers } = request;
  const settings = {
    quotaGib: FILE_LIMITS.shareQuotaGibDefault,
    tier: "TransactionOptimized",
    ...withoutUndefined(readSettings(headers)),
    protocols: readProtocols(headers),
  } as Omit<ShareSettings, "tierChangedAt">;
  const metadata = readMetadata(request.rawHeaders);
  const share = await create(files, { ref: readRef(request), settings, metadata });
  return { status: 201, headers: { ...stamp(share.revision), ...quotaHeaders(share) } };
}

async function getShareProperties(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const { info, now } = await getShare(files, {
    ref: readRef(request),
    leaseId: readLeaseId(request.headers),
  });
  return {
    status: 200,
    headers: {
      ...stamp(info.revision),
      ...printMetadata(info.metadata ?? {}),
      ...leaseHeaders(info.lease, now),
      ...settingHeaders(info, now),
      "x-ms-has-immutability-policy": "false",
      "x-ms-has-legal-hold": "false",
    },
  };
}

async function getShareMetadata(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const { info } = await getShare(files, { ref: readRef(request), leaseId: readLeaseId(request.headers) });
  return { status: 200, headers: { ...stamp(info.revision), ...printMetadata(info.metadata ?? {}) } };
}

async function setShareProperties(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const share = await setProperties(files, {
    ref: readRef(request),
    leaseId: readLeaseId(request.headers),
    changes: readSettings(request.headers),
  });
  const headers = { ...stamp(share.revision), ...quotaHeaders(share), ...downgradeHeaders(share) };
  return { status: 200, headers };
}

async function setShareMetadata(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const share = await setMetadata(files, {
    ref: readRef(request),
    leaseId: readLeaseId(request.headers),
    metadata: readMetadata(request.rawHeaders),
  });
  return { status: 200, headers: stamp(share.revision) };
}

async function getShareStatistics(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const { revision, bytes } = await getStatistics(files, {
    ref: readShareRef(request),
    leaseId: readLeaseId(request.headers),
  });
  const body = printXml(element("ShareStats", textElement("ShareUsageBytes", bytes)));
  return { status: 200, headers: { ...stamp(revision), ...XML }, body };
}

/** Asked at the address of a snapshot, Azure takes one of the share all the same. */
async function snapshotShare(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const metadata = readMetadata(request.rawHeaders);
  const snapshot = await createSnapshot(files, readShareRef(request), metadata);
  const headers = { ...stamp(snapshot.revision), "x-ms-snapshot": timestampOf(snapshot.time) };
  return { status: 201, headers };
}

async function deleteShare(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const name = "x-ms-delete-snapshots";
  const ref = readRef(request);
  const snapshots = readWord(request.headers, name, ["include", "include-leased"]);
  if (ref.snapshot !== undefined && snapshots !== undefined) throw badHeader(name, snapshots);
  const { bytes } = await remove(files, {
    ref,
    leaseId: readLeaseId(request.headers),
    snapshots: snapshots as "include" | "include-leased" | undefined,
  });
  const headers = { "x-ms-file-share-usage-bytes": ref.snapshot === undefined ? String(bytes) : undefined };
  return { status: 202, headers };
}

async function restoreShare(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  if (request.query.has("sharesnapshot")) throw new Refusal("ShareSnapshotOperationNotSupported");
  const share = await restore(files, {
    ref: readShareRef(request),
    deletedName: requireHeader(request.headers, "x-ms-deleted-share-name"),
    deletedVersion: requireHeader(request.headers, "x-ms-deleted-share-version"),
  });
  return { status: 201, headers: { ...stamp(share.revision), ...quotaHeaders(share) } };
}

const resource = "share" as const;
const restype = "share";

export const SHARE_ROWS: readonly FileRow[] = [
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
