import { LIMITS } from "../../base/limits.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import { leaseRows } from "../common/lease.ts";
import { getAndHead, onContainer, onService, row } from "../common/rows.ts";
import type { Operation } from "../operation.ts";
import { handleCreatePermission } from "./create-permission.ts";
import { handleCreateShare } from "./create-share.ts";
import { handleDeleteShare } from "./delete-share.ts";
import { handleGetPermission } from "./get-permission.ts";
import { handleGetShareAcl } from "./get-share-acl.ts";
import { handleGetShareMetadata } from "./get-share-metadata.ts";
import { handleGetShareProperties } from "./get-share-properties.ts";
import { handleGetShareStats } from "./get-share-stats.ts";
import { handleLeaseShare } from "./lease-share.ts";
import { handleListShares } from "./list-shares.ts";
import { handleRestoreShare } from "./restore-share.ts";
import type { FileServices } from "./services.ts";
import { handleSetShareAcl } from "./set-share-acl.ts";
import { handleSetShareMetadata } from "./set-share-metadata.ts";
import { handleSetShareProperties } from "./set-share-properties.ts";
import { handleSnapshotShare } from "./snapshot-share.ts";

/** Rows of the operation table that are about shares. */
export const SHARE_ROWS: readonly Operation<FileServices>[] = [
  row({
    name: "ListShares",
    method: "GET",
    resource: "service",
    query: { comp: "list" },
    permission: onService(["l"]),
    replyBytesMax: LIMITS.listPageBytesMax,
    handle: handleListShares,
  }),
  row({
    name: "CreateShare",
    method: "PUT",
    resource: "share",
    query: { restype: "share" },
    permission: onContainer(["c", "w"]),
    returnsEtag: true,
    ok: [201],
    handle: handleCreateShare,
  }),
  ...getAndHead({
    name: "GetShareProperties",
    resource: "share",
    query: { restype: "share" },
    permission: onContainer(["r"]),
    returnsEtag: true,
    lease: "checked",
    handle: handleGetShareProperties,
  }),
  ...getAndHead({
    name: "GetShareMetadata",
    resource: "share",
    query: { restype: "share", comp: "metadata" },
    permission: onContainer(["r"]),
    returnsEtag: true,
    lease: "checked",
    handle: handleGetShareMetadata,
  }),
  row({
    name: "SetShareProperties",
    method: "PUT",
    resource: "share",
    query: { restype: "share", comp: "properties" },
    permission: onContainer(["w"]),
    returnsEtag: true,
    lease: "checked",
    handle: handleSetShareProperties,
  }),
  row({
    name: "SetShareMetadata",
    method: "PUT",
    resource: "share",
    query: { restype: "share", comp: "metadata" },
    permission: onContainer(["w"]),
    returnsEtag: true,
    lease: "checked",
    handle: handleSetShareMetadata,
  }),
  row({
    name: "GetShareStats",
    method: "GET",
    resource: "share",
    query: { restype: "share", comp: "stats" },
    permission: onContainer(["r"]),
    returnsEtag: true,
    lease: "checked",
    handle: handleGetShareStats,
  }),
  row({
    name: "SnapshotShare",
    method: "PUT",
    resource: "share",
    query: { restype: "share", comp: "snapshot" },
    permission: onContainer(["c", "w"]),
    returnsEtag: true,
    ok: [201],
    handle: handleSnapshotShare,
  }),
  row({
    name: "DeleteShare",
    method: "DELETE",
    resource: "share",
    query: { restype: "share" },
    permission: onContainer(["d"]),
    lease: "checked",
    ok: [202],
    handle: handleDeleteShare,
  }),
  row({
    name: "RestoreShare",
    method: "PUT",
    resource: "share",
    query: { restype: "share", comp: "undelete" },
    permission: onContainer(["w"]),
    returnsEtag: true,
    ok: [201],
    handle: handleRestoreShare,
  }),
  ...getAndHead({
    name: "GetShareAcl",
    resource: "share",
    query: { restype: "share", comp: "acl" },
    permission: onContainer([]),
    returnsEtag: true,
    lease: "checked",
    handle: handleGetShareAcl,
  }),
  row({
    name: "SetShareAcl",
    method: "PUT",
    resource: "share",
    query: { restype: "share", comp: "acl" },
    permission: onContainer([]),
    returnsEtag: true,
    lease: "checked",
    body: "xml",
    bodyBytesMax: FILE_LIMITS.aclBytesMax,
    handle: handleSetShareAcl,
  }),
  row({
    name: "CreatePermission",
    method: "PUT",
    resource: "share",
    query: { restype: "share", comp: "filepermission" },
    permission: onContainer(["w", "c"], ["w", "c"]),
    body: "json",
    bodyBytesMax: FILE_LIMITS.permissionBytesMax,
    ok: [201],
    handle: handleCreatePermission,
  }),
  row({
    name: "GetPermission",
    method: "GET",
    resource: "share",
    query: { restype: "share", comp: "filepermission" },
    permission: onContainer(["r"], ["r"]),
    handle: handleGetPermission,
  }),
  ...leaseRows<FileServices>("Share", {
    resource: "share",
    query: { restype: "share", comp: "lease" },
    permission: onContainer(["w"]),
    handle: handleLeaseShare,
  }),
];
