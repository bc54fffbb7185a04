import { createDirectory as create, getDirectoryProperties as getProperties, deleteDirectory as remove, setDirectoryMetadata as setMetadata, setDirectoryProperties as setProperties, } from "../../services/file/directories.js";
import { printMetadata, readMetadata } from "../wire/metadata.js";
import { readPathRef, readWishes } from "./read-request.js";
import { nodeHeaders, stamp } from "./replies.js";
import { getAndHead, onNode, row } from "./rows.js";
/** Directories: create, read, change, delete. The root of a share is the directory without a path. */
async function createDirectory(request, { files }) {
    const node = await create(files, {
        ref: readPathRef(request),
        wishes: readWishes(request.headers),
        metadata: readMetadata(request.rawHeaders),
    });
    return {
        status: 201,
        headers: {
            ...stamp(node.record.revision),
            ...nodeHeaders(node),
            "x-ms-request-server-encrypted": "true",
        },
    };
}
async function getDirectoryProperties(request, { files }) {
    const node = await getProperties(files, readPathRef(request));
    return {
        status: 200,
        headers: {
            ...stamp(node.record.revision),
            ...nodeHeaders(node),
            ...printMetadata(node.record.metadata ?? {}),
            "x-ms-server-encrypted": "true",
        },
    };
}
async function getDirectoryMetadata(request, { files }) {
    const { record } = await getProperties(files, readPathRef(request));
    return { status: 200, headers: { ...stamp(record.revision), ...printMetadata(record.metadata ?? {}) } };
}
async function setDirectoryMetadata(request, { files }) {
    const revision = await setMetadata(files, readPathRef(request), readMetadata(request.rawHeaders));
    return { status: 200, headers: { ...stamp(revision), "x-ms-request-server-encrypted": "true" } };
}
async function setDirectoryProperties(request, { files }) {
    const node = await setProperties(files, readPathRef(request), readWishes(request.headers));
    return {
        status: 200,
        headers: {
            ...stamp(node.record.revision),
            ...nodeHeaders(node),
            "x-ms-request-server-encrypted": "true",
        },
    };
}
async function deleteDirectory(request, { files }) {
    await remove(files, readPathRef(request));
    return { status: 202 };
}
const resource = "directory";
const restype = "directory";
export const DIRECTORY_ROWS = [
    row({
        name: "CreateDirectory",
        method: "PUT",
        resource,
        query: { restype },
        permission: onNode(["c", "w"]),
        returnsEtag: true,
        ok: [201],
        handle: createDirectory,
    }),
    ...getAndHead({
        name: "GetDirectoryProperties",
        resource,
        query: { restype },
        permission: onNode(["r"]),
        returnsEtag: true,
        handle: getDirectoryProperties,
    }),
    ...getAndHead({
        name: "GetDirectoryMetadata",
        resource,
        query: { restype, comp: "metadata" },
        permission: onNode(["r"]),
        returnsEtag: true,
        handle: getDirectoryMetadata,
    }),
    row({
        name: "SetDirectoryMetadata",
        method: "PUT",
        resource,
        query: { restype, comp: "metadata" },
        permission: onNode(["w"]),
        returnsEtag: true,
        handle: setDirectoryMetadata,
    }),
    row({
        name: "SetDirectoryProperties",
        method: "PUT",
        resource,
        query: { restype, comp: "properties" },
        permission: onNode(["w"]),
        returnsEtag: true,
        handle: setDirectoryProperties,
    }),
    row({
        name: "DeleteDirectory",
        method: "DELETE",
        resource,
        query: { restype },
        permission: onNode(["d"]),
        ok: [202],
        handle: deleteDirectory,
    }),
];
