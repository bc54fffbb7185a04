import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { badHeader, badQuery, Refusal } from "../../base/refusals.js";
import { abortCopy as abort, copyBlob as copy, } from "../../services/blob/copy-blob.js";
import { readMetadata } from "../wire/metadata.js";
import { BLOCK_TIERS, readCreateGuards, readEncryption, readImmutability, readTier, refusePast, } from "./blob-headers.js";
import { copyFromElsewhere } from "./copy-from-elsewhere.js";
import { readCopySource } from "./copy-source.js";
import { writtenHeaders } from "./put-blob.js";
import { IF_ALL, readBlobRef, readBoolean, readLeaseId } from "./read-request.js";
import { onBlob, row } from "./rows.js";
import { parseTagsHeader } from "./tags-wire.js";
/** PUT /{container}/{blob} with x-ms-copy-source: Copy Blob, and Copy Blob From URL where x-ms-requires-sync. */
async function copyBlob(request, services) {
    return copyReply(await copyFrom(request, services, "async"));
}
async function copyBlobFromUrl(request, services) {
    const copied = await copyFrom(request, services, "sync");
    const { headers = {}, ...reply } = copyReply(copied);
    return { ...reply, headers: { ...headers, "Content-MD5": copied.written.contentMd5 } };
}
async function copyFrom(request, services, mode) {
    const { headers } = request;
    refusePast(request.query);
    const guards = readCreateGuards(request, IF_ALL);
    const tags = headers["x-ms-tags"];
    const copiesTags = headers["x-ms-copy-source-tag-option"]?.toUpperCase() === "COPY";
    if (copiesTags && tags !== undefined)
        throw new Refusal("BothUserTagsAndSourceTagsCopyPresentException");
    const given = headers["x-ms-rehydrate-priority"];
    const priority = ["Standard", "High"].find((name) => name.toLowerCase() === given?.toLowerCase());
    if (given !== undefined && priority === undefined)
        throw badHeader("x-ms-rehydrate-priority", given);
    const source = await readCopySource(request, services);
    const wish = {
        ref: readBlobRef(request),
        ...guards,
        copyId: services.blobs.parts.random.uuid(),
        mode,
        properties: {
            metadata: readMetadata(request.rawHeaders),
            tags: tags === undefined ? undefined : parseTagsHeader(tags),
            tier: readTier(headers, BLOCK_TIERS),
            encryption: readEncryption(request),
            immutability: readImmutability(headers),
            hasLegalHold: readBoolean(headers, "x-ms-legal-hold"),
        },
    };
    if (source.kind === "elsewhere")
        return copyFromElsewhere(request, services, source, wish);
    const isSealed = readBoolean(headers, "x-ms-seal-blob");
    return copy(services.blobs, { ...wish, source, copiesTags, priority, isSealed });
}
export function copyReply({ written, copyId, status }) {
    return {
        status: 202,
        headers: { ...writtenHeaders(written), "x-ms-copy-id": copyId, "x-ms-copy-status": status },
    };
}
/** PUT ?comp=copy&copyid= */
async function abortCopyBlob(request, { blobs }) {
    const { headers, query } = request;
    const copyId = query.get("copyid");
    if (copyId === undefined || copyId === "") {
        throw badQuery("copyid", "", "The id of the copy is expected.", "MissingRequiredQueryParameter");
    }
    const action = headers["x-ms-copy-action"];
    if (action?.toLowerCase() !== "abort")
        throw badHeader("x-ms-copy-action", action ?? "");
    await abort(blobs, { ref: readBlobRef(request), leaseId: readLeaseId(headers), copyId });
    return { status: 204 };
}
const common = { method: "PUT", resource: "blob", lease: "checked" };
export const COPY_BLOB_ROWS = [
    row({
        ...common,
        name: "CopyBlob",
        header: { "x-ms-copy-source": true },
        permission: onBlob(["c", "w"]),
        returnsEtag: true,
        conditions: IF_ALL,
        ok: [202],
        handle: copyBlob,
    }),
    row({
        ...common,
        name: "CopyBlobFromUrl",
        header: { "x-ms-copy-source": true, "x-ms-requires-sync": "true" },
        permission: onBlob(["c", "w"]),
        returnsEtag: true,
        conditions: IF_ALL,
        ok: [202],
        handle: copyBlobFromUrl,
    }),
    row({
        ...common,
        name: "AbortCopyBlob",
        query: { comp: "copy" },
        permission: onBlob(["w"]),
        bodyBytesMax: BLOB_LIMITS.keyInfoBodyBytesMax,
        ok: [204],
        handle: abortCopyBlob,
    }),
];
