import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { badHeader } from "../../base/refusals.js";
import { NO_CONDITIONS } from "../../concurrency/conditions.js";
import { getContainer as getContainerRecord, setContainerMetadata as setMetadata, } from "../../services/blob/container-properties.js";
import { createContainer as create } from "../../services/blob/create-container.js";
import { deleteContainer as remove } from "../../services/blob/delete-container.js";
import { restoreContainer as restore } from "../../services/blob/restore-container.js";
import { printMetadata, readMetadata } from "../wire/metadata.js";
import { IF_DATES, readBoolean, readContainerRef, readLeaseId, readWriteConditions, requireHeader, } from "./read-request.js";
import { leaseHeaders, stamp } from "./replies.js";
import { getAndHead, onContainer, row } from "./rows.js";
/** Containers: create, read, metadata, delete, restore. */
export function readPublicAccess(headers) {
    const text = headers["x-ms-blob-public-access"];
    if (text === undefined || text === "")
        return undefined;
    const access = text.toLowerCase();
    if (access !== "blob" && access !== "container")
        throw badHeader("x-ms-blob-public-access", text);
    return access;
}
function readContainerScope(headers) {
    const name = headers["x-ms-default-encryption-scope"];
    const isEnforced = readBoolean(headers, "x-ms-deny-encryption-scope-override");
    if (name === undefined) {
        if (isEnforced === true)
            throw badHeader("x-ms-deny-encryption-scope-override", "true");
        return undefined;
    }
    if (name === "" || name.length > BLOB_LIMITS.encryptionScopeCharsMax)
        throw badHeader("x-ms-default-encryption-scope", name);
    return { name, isEnforced: isEnforced ?? false };
}
async function createContainer(request, { blobs }) {
    const revision = await create(blobs, {
        ref: readContainerRef(request),
        metadata: readMetadata(request.rawHeaders),
        publicAccess: readPublicAccess(request.headers),
        encryptionScope: readContainerScope(request.headers),
    });
    return { status: 201, headers: stamp(revision) };
}
/** What a change of a container is guarded by. */
export function readGuards(request, taken) {
    return {
        ref: readContainerRef(request),
        conditions: readWriteConditions(request.headers, taken),
        leaseId: readLeaseId(request.headers),
    };
}
async function readContainer(request, { blobs }) {
    return getContainerRecord(blobs, {
        ref: readContainerRef(request),
        conditions: NO_CONDITIONS,
        leaseId: readLeaseId(request.headers),
    });
}
async function getContainerProperties(request, services) {
    const { record, now } = await readContainer(request, services);
    const { encryptionScope } = record;
    const headers = {
        ...stamp(record.revision),
        ...printMetadata(record.metadata ?? {}),
        ...leaseHeaders(record.lease, now),
        "x-ms-blob-public-access": record.publicAccess,
        "x-ms-has-immutability-policy": "false",
        "x-ms-has-legal-hold": "false",
        "x-ms-immutable-storage-with-versioning-enabled": "false",
        "x-ms-default-encryption-scope": encryptionScope?.name ?? "$account-encryption-key",
        "x-ms-deny-encryption-scope-override": String(encryptionScope?.isEnforced ?? false),
    };
    return { status: 200, headers };
}
async function getContainerMetadata(request, services) {
    const { record } = await readContainer(request, services);
    return { status: 200, headers: { ...stamp(record.revision), ...printMetadata(record.metadata ?? {}) } };
}
const METADATA_CONDITIONS = ["if-modified-since"];
async function setContainerMetadata(request, { blobs }) {
    const guards = readGuards(request, METADATA_CONDITIONS);
    const revision = await setMetadata(blobs, { ...guards, metadata: readMetadata(request.rawHeaders) });
    return { status: 200, headers: stamp(revision) };
}
async function deleteContainer(request, { blobs }) {
    await remove(blobs, readGuards(request, IF_DATES));
    return { status: 202 };
}
async function restoreContainer(request, { blobs }) {
    await restore(blobs, {
        ref: readContainerRef(request),
        deletedName: requireHeader(request.headers, "x-ms-deleted-container-name"),
        deletedVersion: requireHeader(request.headers, "x-ms-deleted-container-version"),
    });
    return { status: 201 };
}
const resource = "container";
const restype = "container";
export const CONTAINER_ROWS = [
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
