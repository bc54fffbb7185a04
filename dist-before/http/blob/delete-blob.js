import { badHeader, badQuery } from "../../base/refusals.js";
import { deleteBlob as remove } from "../../services/blob/delete-blob.js";
import { undeleteBlob as undelete } from "../../services/blob/undelete-blob.js";
import { readBlobGuards, readSelector } from "./blob-headers.js";
import { IF_ALL, readBlobRef } from "./read-request.js";
import { onBlob, row } from "./rows.js";
/** DELETE /{container}/{blob} */
export async function deleteBlob(request, { blobs }) {
    const { headers, query } = request;
    const selector = readSelector(query);
    const snapshots = headers["x-ms-delete-snapshots"]?.toLowerCase();
    if (snapshots !== undefined && snapshots !== "include" && snapshots !== "only") {
        throw badHeader("x-ms-delete-snapshots", snapshots);
    }
    // A state of the past has no snapshots of its own.
    if (snapshots !== undefined && selector.snapshot !== undefined) {
        throw badHeader("x-ms-delete-snapshots", snapshots);
    }
    const type = query.get("deletetype");
    if (type !== undefined && type.toLowerCase() !== "permanent") {
        throw badQuery("deletetype", type, "There is no such way to delete.");
    }
    const { isPermanent } = await remove(blobs, {
        ref: readBlobRef(request),
        selector,
        ...readBlobGuards(request, IF_ALL),
        snapshots,
        isPermanent: type !== undefined,
    });
    return { status: 202, headers: { "x-ms-delete-type-permanent": String(isPermanent) } };
}
async function undeleteBlob(request, { blobs }) {
    await undelete(blobs, readBlobRef(request));
    return { status: 200 };
}
const common = {
    method: "DELETE",
    resource: "blob",
    conditions: IF_ALL,
    lease: "checked",
    ok: [202],
    handle: deleteBlob,
};
export const DELETE_BLOB_ROWS = [
    row({ ...common, name: "DeleteBlob", permission: onBlob(["d"]) }),
    row({ ...common, name: "DeleteBlobVersion", query: { versionid: true }, permission: onBlob(["x"]) }),
    row({ ...common, name: "DeleteBlobPermanently", query: { deletetype: true }, permission: onBlob(["y"]) }),
    row({
        ...common,
        name: "DeleteBlobVersionPermanently",
        query: { deletetype: true, versionid: true },
        permission: onBlob(["y"]),
    }),
    row({
        name: "UndeleteBlob",
        method: "PUT",
        resource: "blob",
        query: { comp: "undelete" },
        permission: onBlob(["w"]),
        handle: undeleteBlob,
    }),
];
