import { badHeader } from "../../base/refusals.ts";
import { NO_CONDITIONS } from "../../concurrency/conditions.ts";
import {
  type GuardedContainer,
  getContainer as getContainerRecord,
  setContainerMetadata as setMetadata,
} from "../../services/blob/container-properties.ts";
import { createContainer as create } from "../../services/blob/create-container.ts";
import { deleteContainer as remove } from "../../services/blob/delete-container.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import type { ContainerRecord } from "../../services/blob/records.ts";
import { restoreContainer as restore } from "../../services/blob/restore-container.ts";
import type { Headers, HttpReply, HttpRequest, ReplyHeaders } from "../exchange.ts";
import type { ConditionHeader } from "../operation.ts";
import { printMetadata, readMetadata } from "../wire/metadata.ts";
import {
  IF_DATES,
  readBoolean,
  readContainerRef,
  readLeaseId,
  readWriteConditions,
  requireHeader,
} from "./read-request.ts";
import { leaseHeaders, stamp } from "./replies.ts";
import { type BlobRow, type BlobServices, getAndHead, onContainer, row } from "./rows.ts";

/** Containers: create, read, metadata, delete, restore. */
export function readPublicAccess(headers: Headers): ContainerRecord["publicAccess"] {
  const text = headers["x-ms-blob-public-access"];
  if (text === undefined || text === "") return undefined;
  const access = text.toLowerCase();
  if (access !== "blob" && access !== "container") throw badHeader("x-ms-blob-public-access", text);
  return access;
}

function readContainerScope(headers: Headers): ContainerRecord["encryptionScope"] {
  const name = headers["x-ms-default-encryption-scope"];
  const isEnforced = readBoolean(headers, "x-ms-deny-encryption-scope-override");
  if (name === undefined) {
    if (isEnforced === true) throw badHeader("x-ms-deny-encryption-scope-override", "true");
    return undefined;
  }
  if (name === "" || name.length > BLOB_LIMITS.encryptionScopeCharsMax)
    throw badHeader("x-ms-default-encryption-scope", name);
  return { name, isEnforced: isEnforced ?? false };
}

async function createContainer(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const revision = await create(blobs, {
    ref: readContainerRef(request),
    metadata: readMetadata(request.rawHeaders),
    publicAccess: readPublicAccess(request.headers),
    encryptionScope: readContainerScope(request.headers),
  });
  return { status: 201, headers: stamp(revision) };
}

/** What a change of a container is guarded by. */
export function readGuards(request: HttpRequest, taken: readonly ConditionHeader[]): GuardedContainer {
  return {
    ref: readContainerRef(request),
    conditions: readWriteConditions(request.headers, taken),
    leaseId: readLeaseId(request.headers),
  };
}

async function readContainer(
  request: HttpRequest,
  { blobs }: BlobServices,
): ReturnType<typeof getContainerRecord> {
  return getContainerRecord(blobs, {
    ref: readContainerRef(request),
    conditions: NO_CONDITIONS,
    leaseId: readLeaseId(request.headers),
  });
}

async function getContainerProperties(request: HttpRequest, services: BlobServices): Promise<HttpReply> {
  const { record, now } = await readContainer(request, services);
  const { encryptionScope } = record;
  const headers: ReplyHeaders = {
    ...stamp(record.revision),
    ...printMetadata(record.metadata ?? {}),
    ...leaseHeaders(record.lease, now),
    "x-ms-blob-public-access": record.publicAccess,
    "x-ms-has-immutability-policy": "false",
    "x-ms-has-legal-hold": "false",
    "x-ms-immutable-storage-with-versioning-enabled": String(record.hasVersionLevelImmutability ?? false),
    "x-ms-default-encryption-scope": encryptionScope?.name ?? "$account-encryption-key",
    "x-ms-deny-encryption-scope-override": String(encryptionScope?.isEnforced ?? false),
  };
  return { status: 200, headers };
}

async function getContainerMetadata(request: HttpRequest, services: BlobServices): Promise<HttpReply> {
  const { record } = await readContainer(request, services);
  return { status: 200, headers: { ...stamp(record.revision), ...printMetadata(record.metadata ?? {}) } };
}

const METADATA_CONDITIONS: readonly ConditionHeader[] = ["if-modified-since"];

async function setContainerMetadata(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const guards = readGuards(request, METADATA_CONDITIONS);
  const revision = await setMetadata(blobs, { ...guards, metadata: readMetadata(request.rawHeaders) });
  return { status: 200, headers: stamp(revision) };
}

async function deleteContainer(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  await remove(blobs, readGuards(request, IF_DATES));
  return { status: 202 };
}

async function restoreContainer(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  await restore(blobs, {
    ref: readContainerRef(request),
    deletedName: requireHeader(request.headers, "x-ms-deleted-container-name"),
    deletedVersion: requireHeader(request.headers, "x-ms-deleted-container-version"),
  });
  return { status: 201 };
}

const resource = "container" as const;
const restype = "container";

export const CONTAINER_ROWS: readonly BlobRow[] = [
  row({
    name: "CreateContainer",
    method: "PUT",
    resource,
    query: { restype },
    permission: onContainer(["c", "w"]),
    returnsEtag: true,
    ok: [201],
    handle: createContainer,
  }),
  ...getAndHead({
    name: "GetContainerProperties",
    resource,
    query: { restype },
    permission: { ...onContainer(["r"]), anonymous: "container" },
    returnsEtag: true,
    lease: "checked",
    handle: getContainerProperties,
  }),
  ...getAndHead({
    name: "GetContainerMetadata",
    resource,
    query: { restype, comp: "metadata" },
    permission: { ...onContainer(["r"]), anonymous: "container" },
    returnsEtag: true,
    lease: "checked",
    handle: getContainerMetadata,
  }),
  row({
    name: "SetContainerMetadata",
    method: "PUT",
    resource,
    query: { restype, comp: "metadata" },
    permission: onContainer(["w"]),
    returnsEtag: true,
    conditions: METADATA_CONDITIONS,
    lease: "checked",
    handle: setContainerMetadata,
  }),
  row({
    name: "DeleteContainer",
    method: "DELETE",
    resource,
    query: { restype },
    permission: onContainer(["d"]),
    conditions: IF_DATES,
    lease: "checked",
    ok: [202],
    handle: deleteContainer,
  }),
  row({
    name: "RestoreContainer",
    method: "PUT",
    resource,
    query: { restype, comp: "undelete" },
    permission: onContainer(["w"]),
    ok: [201],
    handle: restoreContainer,
  }),
];
