import {
  createDirectory as create,
  getDirectoryProperties as getProperties,
  deleteDirectory as remove,
  setDirectoryMetadata as setMetadata,
  setDirectoryProperties as setProperties,
} from "../../services/file/directories.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printMetadata, readMetadata } from "../wire/metadata.ts";
import { readChanges, readPathRef } from "./read-request.ts";
import { changedHeaders, inodeHeaders, stamp } from "./replies.ts";
import { type FileRow, type FileServices, getAndHead, onInode, row } from "./rows.ts";

/** Directories: create, read, change, delete. The root of a share is the directory without a path. */
async function createDirectory(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const inode = await create(files, {
    ref: readPathRef(request),
    requested: readChanges(request.headers),
    metadata: readMetadata(request.rawHeaders),
  });
  return {
    status: 201,
    headers: changedHeaders(inode),
  };
}

async function getDirectoryProperties(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const inode = await getProperties(files, readPathRef(request));
  return {
    status: 200,
    headers: {
      ...stamp(inode.record.revision),
      ...inodeHeaders(inode),
      ...printMetadata(inode.record.metadata ?? {}),
      "x-ms-server-encrypted": "true",
    },
  };
}

async function getDirectoryMetadata(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const { record } = await getProperties(files, readPathRef(request));
  return { status: 200, headers: { ...stamp(record.revision), ...printMetadata(record.metadata ?? {}) } };
}

async function setDirectoryMetadata(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const revision = await setMetadata(files, readPathRef(request), readMetadata(request.rawHeaders));
  return { status: 200, headers: { ...stamp(revision), "x-ms-request-server-encrypted": "true" } };
}

async function setDirectoryProperties(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const inode = await setProperties(files, readPathRef(request), readChanges(request.headers));
  return {
    status: 200,
    headers: changedHeaders(inode),
  };
}

async function deleteDirectory(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  await remove(files, readPathRef(request));
  return { status: 202 };
}

const resource = "directory" as const;
const restype = "directory";

export const DIRECTORY_ROWS: readonly FileRow[] = [
  row({
    name: "CreateDirectory",
    method: "PUT",
    resource,
    query: { restype },
    permission: onInode(["c", "w"]),
    returnsEtag: true,
    ok: [201],
    handle: createDirectory,
  }),
  ...getAndHead({
    name: "GetDirectoryProperties",
    resource,
    query: { restype },
    permission: onInode(["r"]),
    returnsEtag: true,
    handle: getDirectoryProperties,
  }),
  ...getAndHead({
    name: "GetDirectoryMetadata",
    resource,
    query: { restype, comp: "metadata" },
    permission: onInode(["r"]),
    returnsEtag: true,
    handle: getDirectoryMetadata,
  }),
  row({
    name: "SetDirectoryMetadata",
    method: "PUT",
    resource,
    query: { restype, comp: "metadata" },
    permission: onInode(["w"]),
    returnsEtag: true,
    handle: setDirectoryMetadata,
  }),
  row({
    name: "SetDirectoryProperties",
    method: "PUT",
    resource,
    query: { restype, comp: "properties" },
    permission: onInode(["w"]),
    returnsEtag: true,
    handle: setDirectoryProperties,
  }),
  row({
    name: "DeleteDirectory",
    method: "DELETE",
    resource,
    query: { restype },
    permission: onInode(["d"]),
    ok: [202],
    handle: deleteDirectory,
  }),
];
