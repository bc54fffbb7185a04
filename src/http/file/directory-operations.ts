import { LIMITS } from "../../base/limits.ts";
import { getAndHead, onContainer, onObject, row } from "../common/rows.ts";
import type { Operation } from "../operation.ts";
import { handleCreateDirectory } from "./create-directory.ts";
import { handleDeleteDirectory } from "./delete-directory.ts";
import { handleGetDirectoryMetadata } from "./get-directory-metadata.ts";
import { handleGetDirectoryProperties } from "./get-directory-properties.ts";
import { handleListDirectory } from "./list-directory.ts";
import { handleRename } from "./rename.ts";
import type { FileServices } from "./services.ts";
import { handleSetDirectoryMetadata } from "./set-directory-metadata.ts";
import { handleSetDirectoryProperties } from "./set-directory-properties.ts";

/** Rows of the operation table that are about directories. */
export const DIRECTORY_ROWS: readonly Operation<FileServices>[] = [
  row({
    name: "CreateDirectory",
    method: "PUT",
    resource: "directory",
    query: { restype: "directory" },
    permission: onObject(["c", "w"]),
    returnsEtag: true,
    ok: [201],
    handle: handleCreateDirectory,
  }),
  ...getAndHead({
    name: "GetDirectoryProperties",
    resource: "directory",
    query: { restype: "directory" },
    permission: onObject(["r"]),
    returnsEtag: true,
    handle: handleGetDirectoryProperties,
  }),
  ...getAndHead({
    name: "GetDirectoryMetadata",
    resource: "directory",
    query: { restype: "directory", comp: "metadata" },
    permission: onObject(["r"]),
    returnsEtag: true,
    handle: handleGetDirectoryMetadata,
  }),
  row({
    name: "SetDirectoryMetadata",
    method: "PUT",
    resource: "directory",
    query: { restype: "directory", comp: "metadata" },
    permission: onObject(["w"]),
    returnsEtag: true,
    handle: handleSetDirectoryMetadata,
  }),
  row({
    name: "SetDirectoryProperties",
    method: "PUT",
    resource: "directory",
    query: { restype: "directory", comp: "properties" },
    permission: onObject(["w"]),
    returnsEtag: true,
    handle: handleSetDirectoryProperties,
  }),
  row({
    name: "DeleteDirectory",
    method: "DELETE",
    resource: "directory",
    query: { restype: "directory" },
    permission: onObject(["d"]),
    ok: [202],
    handle: handleDeleteDirectory,
  }),
  row({
    name: "ListDirectoriesAndFiles",
    method: "GET",
    resource: "directory",
    query: { restype: "directory", comp: "list" },
    permission: onContainer(["l"], ["l"]),
    replyBytesMax: LIMITS.listPageBytesMax,
    handle: handleListDirectory,
  }),
  row({
    name: "RenameDirectory",
    method: "PUT",
    resource: "directory",
    query: { restype: "directory", comp: "rename" },
    permission: onObject(["w"]),
    returnsEtag: true,
    lease: "checked",
    handle: (request, services) => handleRename("directory", request, services),
  }),
];
