import { Refusal } from "../../base/refusals.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import { leaseRows } from "../common/lease.ts";
import {
  ACCEPTED,
  CREATED,
  getAndHead,
  json,
  LISTING,
  NO_CONTENT,
  onContainer,
  onContainerBySas,
  onObject,
  onService,
  row,
  stream,
  xml,
} from "../common/rows.ts";
import { commonOperations } from "../common/service-operations.ts";
import { GET_USER_DELEGATION_KEY } from "../common/user-delegation-key.ts";
import type { Headers, Query } from "../exchange.ts";
import type { Operation, OperationTable, ResourceKind } from "../operation.ts";
import { handleAbortCopyFile } from "./abort-copy-file.ts";
import { handleCopyFile } from "./copy-file.ts";
import { handleCreateDirectory } from "./create-directory.ts";
import { handleCreateFile } from "./create-file.ts";
import { handleCreatePermission } from "./create-permission.ts";
import { handleCreateShare } from "./create-share.ts";
import { handleDeleteDirectory } from "./delete-directory.ts";
import { handleDeleteFile } from "./delete-file.ts";
import { handleDeleteShare } from "./delete-share.ts";
import { handleForceCloseHandles } from "./force-close-handles.ts";
import { handleGetDirectoryMetadata, handleGetDirectoryProperties } from "./get-directory-properties.ts";
import { handleGetFile, handleGetFileMetadata, handleGetFileProperties } from "./get-file.ts";
import { handleGetPermission } from "./get-permission.ts";
import { handleGetShareAcl } from "./get-share-acl.ts";
import { handleGetShareMetadata, handleGetShareProperties } from "./get-share-properties.ts";
import { handleGetShareStats } from "./get-share-stats.ts";
import { handleLeaseFile, handleLeaseShare } from "./lease.ts";
import { handleLink } from "./links.ts";
import { handleListDirectory } from "./list-directory.ts";
import { handleListHandles } from "./list-handles.ts";
import { handleListRanges } from "./list-ranges.ts";
import { handleListShares } from "./list-shares.ts";
import { normalizeTarget } from "./normalize-target.ts";
import { handlePutRange } from "./put-range.ts";
import { handlePutRangeFromUrl } from "./put-range-from-url.ts";
import { handleRenameDirectory, handleRenameFile } from "./rename.ts";
import { handleRestoreShare } from "./restore-share.ts";
import type { FileServices } from "./services.ts";
import { handleSetDirectoryMetadata, handleSetDirectoryProperties } from "./set-directory-properties.ts";
import { handleSetFileMetadata, handleSetFileProperties } from "./set-file-properties.ts";
import { handleSetShareAcl } from "./set-share-acl.ts";
import { handleSetShareMetadata, handleSetShareProperties } from "./set-share-properties.ts";
import { handleSnapshotShare } from "./snapshot-share.ts";

const ETAG = { returnsEtag: true } as const;
const LEASED = { ...ETAG, lease: "checked" } as const;
const CREATES = { ...ETAG, ...CREATED } as const;
const WRITES = { ...LEASED, ...CREATED } as const;
const DELETES = { lease: "checked", ...ACCEPTED } as const;
const RANGE = stream(FILE_LIMITS.rangeBytesMax);

const SHARE = "share?restype=share";
const DIRECTORY = "directory?restype=directory";

const SHARE_ROWS: readonly Operation<FileServices>[] = [
  row("ListShares", "GET service?comp=list", onService("l"), handleListShares, LISTING),
  row("CreateShare", `PUT ${SHARE}`, onContainer("c", "w"), handleCreateShare, CREATES),
  // With a token, the JavaScript SDK sends no intent along.
  ...getAndHead(
    "GetShareProperties",
    SHARE,
    { ...onContainer("r"), isIntentFree: true },
    handleGetShareProperties,
    LEASED,
  ),
  ...getAndHead(
    "GetShareMetadata",
    `${SHARE}&comp=metadata`,
    onContainer("r"),
    handleGetShareMetadata,
    LEASED,
  ),
  row(
    "SetShareProperties",
    `PUT ${SHARE}&comp=properties`,
    onContainer("w"),
    handleSetShareProperties,
    LEASED,
  ),
  row("SetShareMetadata", `PUT ${SHARE}&comp=metadata`, onContainer("w"), handleSetShareMetadata, LEASED),
  row("GetShareStats", `GET ${SHARE}&comp=stats`, onContainer("r"), handleGetShareStats, {
    lease: "checked",
  }),
  row("SnapshotShare", `PUT ${SHARE}&comp=snapshot`, onContainer("c", "w"), handleSnapshotShare, CREATES),
  row("DeleteShare", `DELETE ${SHARE}`, onContainer("d"), handleDeleteShare, DELETES),
  row(
    "RestoreShare",
    `PUT ${SHARE}&comp=undelete`,
    { ...onContainer("w"), isIntentFree: true },
    handleRestoreShare,
    CREATES,
  ),
  ...getAndHead("GetShareAcl", `${SHARE}&comp=acl`, onContainer(), handleGetShareAcl, LEASED),
  row("SetShareAcl", `PUT ${SHARE}&comp=acl`, onContainer(), handleSetShareAcl, {
    ...LEASED,
    ...xml(FILE_LIMITS.aclBytesMax),
  }),
  row(
    "CreatePermission",
    `PUT ${SHARE}&comp=filepermission`,
    onContainerBySas("w", "c"),
    handleCreatePermission,
    { ...json(FILE_LIMITS.permissionBytesMax), ...CREATED },
  ),
  row("GetPermission", `GET ${SHARE}&comp=filepermission`, onContainerBySas("r"), handleGetPermission),
  ...leaseRows("Share", `${SHARE}&comp=lease`, onContainer("w"), handleLeaseShare),
];

const DIRECTORY_ROWS: readonly Operation<FileServices>[] = [
  row("CreateDirectory", `PUT ${DIRECTORY}`, onObject("c", "w"), handleCreateDirectory, CREATES),
  ...getAndHead("GetDirectoryProperties", DIRECTORY, onObject("r"), handleGetDirectoryProperties, ETAG),
  ...getAndHead(
    "GetDirectoryMetadata",
    `${DIRECTORY}&comp=metadata`,
    onObject("r"),
    handleGetDirectoryMetadata,
    ETAG,
  ),
  row(
    "SetDirectoryMetadata",
    `PUT ${DIRECTORY}&comp=metadata`,
    onObject("w"),
    handleSetDirectoryMetadata,
    ETAG,
  ),
  row(
    "SetDirectoryProperties",
    `PUT ${DIRECTORY}&comp=properties`,
    onObject("w"),
    handleSetDirectoryProperties,
    ETAG,
  ),
  row("DeleteDirectory", `DELETE ${DIRECTORY}`, onObject("d"), handleDeleteDirectory, ACCEPTED),
  row(
    "ListDirectoriesAndFiles",
    `GET ${DIRECTORY}&comp=list`,
    onContainerBySas("l"),
    handleListDirectory,
    LISTING,
  ),
  row("RenameDirectory", `PUT ${DIRECTORY}&comp=rename`, onObject("w"), handleRenameDirectory, LEASED),
];

const FILE_ROWS: readonly Operation<FileServices>[] = [
  row("CreateFile", "PUT file", onObject("c", "w"), handleCreateFile, { ...WRITES, ...RANGE }),
  row("GetFile", "GET file", onObject("r"), handleGetFile, { ...LEASED, ok: [200, 206] }),
  row("GetFileProperties", "HEAD file", onObject("r"), handleGetFileProperties, LEASED),
  ...getAndHead("GetFileMetadata", "file?comp=metadata", onObject("r"), handleGetFileMetadata, LEASED),
  row("SetFileProperties", "PUT file?comp=properties", onObject("w"), handleSetFileProperties, LEASED),
  row("SetFileMetadata", "PUT file?comp=metadata", onObject("w"), handleSetFileMetadata, LEASED),
  row("DeleteFile", "DELETE file", onObject("d"), handleDeleteFile, DELETES),
  row("PutRange", "PUT file?comp=range", onObject("w"), handlePutRange, { ...WRITES, ...RANGE }),
  row("ListRanges", "GET file?comp=rangelist", onObject("r"), handleListRanges, { ...LEASED, ...LISTING }),
  row("CopyFile", "PUT file, x-ms-copy-source: *", onObject("c", "w"), handleCopyFile, {
    ...LEASED,
    ...ACCEPTED,
  }),
  row("AbortCopyFile", "PUT file?comp=copy", onObject("w"), handleAbortCopyFile, {
    lease: "checked",
    ...NO_CONTENT,
  }),
  row(
    "PutRangeFromURL",
    "PUT file?comp=range, x-ms-copy-source: *",
    onObject("w"),
    handlePutRangeFromUrl,
    WRITES,
  ),
  row("RenameFile", "PUT file?comp=rename", onObject("w"), handleRenameFile, LEASED),
  ...leaseRows("File", "file?comp=lease", onObject("w"), handleLeaseFile, {
    actions: ["acquire", "change", "release", "break"],
  }),
  row("ListHandles", "GET path?comp=listhandles", onObject("r", "l"), handleListHandles, LISTING),
  row("ForceCloseHandles", "PUT path?comp=forceclosehandles", onObject("w"), handleForceCloseHandles),
  row("CreateSymbolicLink", "PUT file?restype=symboliclink", onObject("c", "w"), handleLink, CREATED),
  row("GetSymbolicLink", "GET file?restype=symboliclink", onObject("r"), handleLink),
  row("CreateHardLink", "PUT file?restype=hardlink", onObject("c", "w"), handleLink, CREATED),
];

/** The File service, operation by operation. */
export const FILE_OPERATIONS: OperationTable<FileServices> = {
  service: "file",
  operations: [
    ...commonOperations("file"),
    GET_USER_DELEGATION_KEY,
    ...[...SHARE_ROWS, ...DIRECTORY_ROWS, ...FILE_ROWS].map((operation) => ({
      ...operation,
      handle: unconditional(operation.handle),
    })),
  ],
  resourceOf,
  unknownOperation: "InvalidUri",
  normalizeTarget,
};

const CONDITIONS = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"];

type Handle = Operation<FileServices>["handle"];

/**
 * The File service has no conditional headers and refuses them. Not async: that would cost each request a
 * promise.
 */
function unconditional(handle: Handle): Handle {
  return (request, services) => {
    refuseConditions(request.headers);
    // The timeout of a request bounds how long the call waits for the caches of SMB clients.
    const { timeout } = request;
    if (timeout === undefined) return handle(request, services);
    return handle(request, { ...services, files: services.files.within(timeout) });
  };
}

function refuseConditions(headers: Headers): void {
  for (const name of CONDITIONS) {
    if (headers[name] !== undefined) throw new Refusal("ConditionHeadersNotSupported");
  }
}

/** A request that lists or closes handles does not say which kind of inode its path names. */
const OF_ANY_INODE = new Set(["listhandles", "forceclosehandles"]);

function resourceOf(path: string, query: Query): ResourceKind {
  if (path === "") return "service";
  const restype = query.get("restype")?.toLowerCase();
  if (restype === "share" || restype === "directory") return restype;
  if (OF_ANY_INODE.has(query.get("comp")?.toLowerCase() ?? "")) return "path";
  const slash = path.indexOf("/");
  return slash < 0 || slash === path.length - 1 ? "share" : "file";
}
