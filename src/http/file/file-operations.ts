import { LIMITS } from "../../base/limits.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import { leaseRows } from "../common/lease.ts";
import { getAndHead, onObject, row } from "../common/rows.ts";
import type { Operation } from "../operation.ts";
import { handleAbortCopyFile } from "./abort-copy-file.ts";
import { handleCopyFile } from "./copy-file.ts";
import { handleCreateFile } from "./create-file.ts";
import { handleDeleteFile } from "./delete-file.ts";
import { handleForceCloseHandles } from "./force-close-handles.ts";
import { handleGetFile, handleGetFileProperties } from "./get-file.ts";
import { handleGetFileMetadata } from "./get-file-metadata.ts";
import { handleLeaseFile } from "./lease-file.ts";
import { handleLink } from "./links.ts";
import { handleListHandles } from "./list-handles.ts";
import { handleListRanges } from "./list-ranges.ts";
import { handlePutRange } from "./put-range.ts";
import { handlePutRangeFromUrl } from "./put-range-from-url.ts";
import { handleRename } from "./rename.ts";
import type { FileServices } from "./services.ts";
import { handleSetFileMetadata } from "./set-file-metadata.ts";
import { handleSetFileProperties } from "./set-file-properties.ts";

/** Rows of the operation table that are about files, and about whatever a path names. */
export const FILE_ROWS: readonly Operation<FileServices>[] = [
  row({
    name: "CreateFile",
    method: "PUT",
    resource: "file",
    permission: onObject(["c", "w"]),
    returnsEtag: true,
    lease: "checked",
    body: "stream",
    bodyBytesMax: FILE_LIMITS.rangeBytesMax,
    ok: [201],
    handle: handleCreateFile,
  }),
  row({
    name: "GetFile",
    method: "GET",
    resource: "file",
    permission: onObject(["r"]),
    returnsEtag: true,
    lease: "checked",
    ok: [200, 206],
    handle: handleGetFile,
  }),
  row({
    name: "GetFileProperties",
    method: "HEAD",
    resource: "file",
    permission: onObject(["r"]),
    returnsEtag: true,
    lease: "checked",
    handle: handleGetFileProperties,
  }),
  ...getAndHead({
    name: "GetFileMetadata",
    resource: "file",
    query: { comp: "metadata" },
    permission: onObject(["r"]),
    returnsEtag: true,
    lease: "checked",
    handle: handleGetFileMetadata,
  }),
  row({
    name: "SetFileProperties",
    method: "PUT",
    resource: "file",
    query: { comp: "properties" },
    permission: onObject(["w"]),
    returnsEtag: true,
    lease: "checked",
    handle: handleSetFileProperties,
  }),
  row({
    name: "SetFileMetadata",
    method: "PUT",
    resource: "file",
    query: { comp: "metadata" },
    permission: onObject(["w"]),
    returnsEtag: true,
    lease: "checked",
    handle: handleSetFileMetadata,
  }),
  row({
    name: "DeleteFile",
    method: "DELETE",
    resource: "file",
    permission: onObject(["d"]),
    lease: "checked",
    ok: [202],
    handle: handleDeleteFile,
  }),
  row({
    name: "PutRange",
    method: "PUT",
    resource: "file",
    query: { comp: "range" },
    permission: onObject(["w"]),
    returnsEtag: true,
    lease: "checked",
    body: "stream",
    bodyBytesMax: FILE_LIMITS.rangeBytesMax,
    ok: [201],
    handle: handlePutRange,
  }),
  row({
    name: "ListRanges",
    method: "GET",
    resource: "file",
    query: { comp: "rangelist" },
    permission: onObject(["r"]),
    returnsEtag: true,
    lease: "checked",
    replyBytesMax: LIMITS.listPageBytesMax,
    handle: handleListRanges,
  }),
  row({
    name: "CopyFile",
    method: "PUT",
    resource: "file",
    header: { "x-ms-copy-source": true },
    permission: onObject(["c", "w"]),
    returnsEtag: true,
    lease: "checked",
    ok: [202],
    handle: handleCopyFile,
  }),
  row({
    name: "AbortCopyFile",
    method: "PUT",
    resource: "file",
    query: { comp: "copy" },
    permission: onObject(["w"]),
    lease: "checked",
    ok: [204],
    handle: handleAbortCopyFile,
  }),
  row({
    name: "PutRangeFromURL",
    method: "PUT",
    resource: "file",
    query: { comp: "range" },
    header: { "x-ms-copy-source": true },
    permission: onObject(["w"]),
    returnsEtag: true,
    lease: "checked",
    ok: [201],
    handle: handlePutRangeFromUrl,
  }),
  row({
    name: "RenameFile",
    method: "PUT",
    resource: "file",
    query: { comp: "rename" },
    permission: onObject(["w"]),
    returnsEtag: true,
    lease: "checked",
    handle: (request, services) => handleRename("file", request, services),
  }),
  ...leaseRows<FileServices>("File", {
    actions: ["acquire", "change", "release", "break"],
    resource: "file",
    query: { comp: "lease" },
    permission: onObject(["w"]),
    handle: handleLeaseFile,
  }),
  row({
    name: "ListHandles",
    method: "GET",
    resource: "path",
    query: { comp: "listhandles" },
    permission: onObject(["r", "l"]),
    replyBytesMax: LIMITS.listPageBytesMax,
    handle: handleListHandles,
  }),
  row({
    name: "ForceCloseHandles",
    method: "PUT",
    resource: "path",
    query: { comp: "forceclosehandles" },
    permission: onObject(["w"]),
    handle: handleForceCloseHandles,
  }),
  row({
    name: "CreateSymbolicLink",
    method: "PUT",
    resource: "file",
    query: { restype: "symboliclink" },
    permission: onObject(["c", "w"]),
    ok: [201],
    handle: handleLink,
  }),
  row({
    name: "GetSymbolicLink",
    method: "GET",
    resource: "file",
    query: { restype: "symboliclink" },
    permission: onObject(["r"]),
    handle: handleLink,
  }),
  row({
    name: "CreateHardLink",
    method: "PUT",
    resource: "file",
    query: { restype: "hardlink" },
    permission: onObject(["c", "w"]),
    ok: [201],
    handle: handleLink,
  }),
];
