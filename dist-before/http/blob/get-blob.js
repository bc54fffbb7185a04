import { createHash } from "node:crypto";
import { collect } from "../../base/bytes.js";
import { Crc64 } from "../../base/crc64.js";
import { getBlob as get, getBlobProperties as getProperties, } from "../../services/blob/get-blob.js";
import { printMetadata } from "../wire/metadata.js";
import { parseRange, printContentRange, rangeDigestOf, resolveRange } from "../wire/range.js";
import { encodeStructuredBody, STRUCTURED_BODY, structuredLength, wantsStructuredBody, } from "../wire/structured-body.js";
import { checkTagPermission, readCustomerKey, readSelector } from "./blob-headers.js";
import { blobHeaders, propertyHeaders } from "./blob-replies.js";
import { IF_ALL, readBlobRef, readLeaseId, readReadConditions } from "./read-request.js";
import { stamp } from "./replies.js";
import { getAndHead, onBlob, row } from "./rows.js";
export function readRead(request) {
    const { headers, query } = request;
    checkTagPermission(request);
    return {
        ref: readBlobRef(request),
        selector: readSelector(query),
        conditions: readReadConditions(headers),
        leaseId: readLeaseId(headers),
        keySha256: readCustomerKey(headers),
    };
}
/** GET /{container}/{blob}: the whole of it, or a range. */
export async function getBlob(request, { blobs }) {
    const { headers } = request;
    const wanted = parseRange(headers);
    // Whatever can be wrong with the request is found before the bytes are pinned.
    const isStructured = wantsStructuredBody(headers);
    let extent;
    // The range means something only beside the length the same snapshot tells.
    const rangeOf = (length) => {
        if (wanted === undefined)
            rangeDigestOf(headers, undefined);
        if (wanted === undefined)
            return { from: 0, length };
        extent = resolveRange(wanted, length);
        rangeDigestOf(headers, extent);
        return extent;
    };
    const opened = await get(blobs, { ...readRead(request), rangeOf });
    const out = blobHeaders(opened);
    const { contentMd5 } = opened.record.http;
    if (extent === undefined)
        out["Content-MD5"] = contentMd5;
    else {
        out["Content-Range"] = printContentRange(extent, opened.record.length);
        out["x-ms-blob-content-md5"] = contentMd5;
    }
    if (request.caller.kind === "serviceSas")
        override(out, request.caller.overrides);
    const status = extent === undefined ? 200 : 206;
    const wish = { digest: rangeDigestOf(headers, extent), isStructured };
    return withBody(opened, { status, headers: out }, wish);
}
async function withBody(opened, reply, { digest, isStructured }) {
    const { payload, range, record } = opened;
    const { from, length } = range;
    if (isStructured) {
        reply.headers["x-ms-structured-body"] = STRUCTURED_BODY;
        reply.headers["x-ms-structured-content-length"] = String(length);
        const source = payload === undefined ? once(inlineBytes(record, range)) : payload.stream(from, length);
        const body = encodeStructuredBody(source, { contentLength: length });
        return { ...reply, body, length: structuredLength(length), release: () => payload?.close() };
    }
    if (payload !== undefined && digest === undefined) {
        return { ...reply, body: payload.stream(from, length), length, release: () => payload.close() };
    }
    // At most 4 MiB: its digest goes out before its first byte.
    const bytes = payload === undefined ? inlineBytes(record, range) : await readWhole(payload, range);
    if (digest === "md5")
        reply.headers["Content-MD5"] = createHash("md5").update(bytes).digest("base64");
    if (digest === "crc64")
        reply.headers["x-ms-content-crc64"] = new Crc64().update(bytes).base64();
    return { ...reply, body: bytes };
}
async function readWhole(payload, range) {
    try {
        return await collect(payload.stream(range.from, range.length));
    }
    finally {
        payload.close();
    }
}
function inlineBytes({ content }, { from, length }) {
    return "inline" in content ? content.inline.subarray(from, from + length) : Buffer.alloc(0);
}
async function* once(bytes) {
    yield bytes;
}
/** A SAS may say how what it opens is to be served (rscc, rscd and their like). */
function override(out, overrides) {
    for (const lower in overrides) {
        const name = lower.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
        out[name] = overrides[lower];
    }
}
/** HEAD /{container}/{blob} */
export async function getBlobProperties(request, { blobs }) {
    const seen = await getProperties(blobs, readRead(request));
    const headers = {
        ...blobHeaders(seen),
        ...propertyHeaders(seen),
        "Content-MD5": seen.record.http.contentMd5,
    };
    if (request.caller.kind === "serviceSas")
        override(headers, request.caller.overrides);
    return { status: 200, headers, length: seen.record.length };
}
async function getBlobMetadata(request, { blobs }) {
    const { record } = await getProperties(blobs, readRead(request));
    return { status: 200, headers: { ...stamp(record.revision), ...printMetadata(record.metadata ?? {}) } };
}
const readable = { ...onBlob(["r"]), anonymous: "blob" };
const common = {
    resource: "blob",
    permission: readable,
    returnsEtag: true,
    conditions: IF_ALL,
    lease: "checked",
};
export const GET_BLOB_ROWS = [
    row({ ...common, name: "GetBlob", method: "GET", ok: [200, 206], handle: getBlob }),
    row({ ...common, name: "GetBlobProperties", method: "HEAD", handle: getBlobProperties }),
    ...getAndHead({ ...common, name: "GetBlobMetadata", query: { comp: "metadata" }, handle: getBlobMetadata }),
];
