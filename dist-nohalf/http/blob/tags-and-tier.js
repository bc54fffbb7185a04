import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { badHeader } from "../../base/refusals.js";
import { getBlobTags as getTags, setBlobTags as setTags, } from "../../services/blob/blob-tags.js";
import { PAGE_TIERS, setBlobTier as setTier } from "../../services/blob/set-blob-tier.js";
import { BLOCK_TIERS, checkTagPermission, readBlobGuards, readSelector, readTier } from "./blob-headers.js";
import { IF_TAGS, missingHeader, readBlobRef, readLeaseId, readSingleConditions } from "./read-request.js";
import { XML } from "./replies.js";
import { getAndHead, onBlob, row } from "./rows.js";
import { parseTagsBody, printTagsBody } from "./tags-wire.js";
/** What is beside a blob: tags and tier. Neither changes its ETag. */
function readRead(request) {
    checkTagPermission(request);
    return {
        ref: readBlobRef(request),
        selector: readSelector(request.query),
        conditions: readSingleConditions(request.headers, IF_TAGS),
        leaseId: readLeaseId(request.headers),
    };
}
async function getBlobTags(request, { blobs }) {
    return { status: 200, headers: XML, body: printTagsBody(await getTags(blobs, readRead(request))) };
}
async function setBlobTags(request, { blobs }) {
    const guarded = { ...readRead(request), ...readBlobGuards(request, IF_TAGS) };
    const tags = parseTagsBody(await request.body.read(BLOB_LIMITS.tagsBodyBytesMax));
    await setTags(blobs, { ...guarded, tags });
    return { status: 204 };
}
export async function setBlobTier(request, { blobs }) {
    const { headers } = request;
    const tier = readTier(headers, [...BLOCK_TIERS, ...PAGE_TIERS]);
    if (tier === undefined)
        throw missingHeader("x-ms-access-tier");
    const given = headers["x-ms-rehydrate-priority"];
    const priority = ["Standard", "High"].find((name) => name.toLowerCase() === given?.toLowerCase());
    if (given !== undefined && priority === undefined)
        throw badHeader("x-ms-rehydrate-priority", given);
    const guarded = { ...readRead(request), ...readBlobGuards(request, IF_TAGS) };
    const state = await setTier(blobs, { ...guarded, tier, priority });
    return { status: state === "done" ? 200 : 202 };
}
const common = { resource: "blob", conditions: IF_TAGS, lease: "checked" };
export const TAGS_AND_TIER_ROWS = [
    ...getAndHead({
        ...common,
        name: "GetBlobTags",
        query: { comp: "tags" },
        permission: onBlob(["t"]),
        handle: getBlobTags,
    }),
    row({
        ...common,
        name: "SetBlobTags",
        method: "PUT",
        query: { comp: "tags" },
        permission: onBlob(["t"]),
        body: "xml",
        bodyBytesMax: BLOB_LIMITS.tagsBodyBytesMax,
        ok: [204],
        handle: setBlobTags,
    }),
    row({
        ...common,
        name: "SetBlobTier",
        method: "PUT",
        query: { comp: "tier" },
        permission: onBlob(["w"]),
        ok: [200, 202],
        handle: setBlobTier,
    }),
];
