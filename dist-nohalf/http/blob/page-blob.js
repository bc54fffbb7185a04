import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { badHeader, Refusal } from "../../base/refusals.js";
import { createPageBlob as create } from "../../services/blob/create-blob.js";
import { clearPage, putPage as put, } from "../../services/blob/put-page.js";
import { PAGE_TIERS } from "../../services/blob/set-blob-tier.js";
import { checkBytes } from "../wire/digest.js";
import { requireRange } from "../wire/range.js";
import { STRUCTURED_BODY } from "../wire/structured-body.js";
import { readBlobGuards, readCreateGuards, readEncryption, readProperties, refusePast, } from "./blob-headers.js";
import { digestHeaders } from "./blocks.js";
import { writtenHeaders } from "./put-blob.js";
import { IF_ALL, readBlobRef, requireHeader } from "./read-request.js";
import { onBlob, row } from "./rows.js";
/** x-ms-blob-content-length: whole pages, up to 8 TiB. */
export function readPageBlobLength(headers) {
    const name = "x-ms-blob-content-length";
    const text = requireHeader(headers, name);
    const length = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isNaN(length) || length % BLOB_LIMITS.pageBytes !== 0)
        throw badHeader(name, text);
    if (length > BLOB_LIMITS.pageBlobBytesMax) {
        throw new Refusal("RequestBodyTooLarge", {
            elements: { MaxLimit: String(BLOB_LIMITS.pageBlobBytesMax) },
        });
    }
    return length;
}
const SEQUENCE_MAX = 2n ** 63n - 1n;
export function readSequenceNumber(headers, name) {
    const text = headers[name];
    if (text === undefined)
        return undefined;
    const number = /^\d{1,19}$/.test(text) ? BigInt(text) : undefined;
    if (number === undefined || number > SEQUENCE_MAX)
        throw badHeader(name, text);
    return number;
}
/** PUT with x-ms-blob-type: PageBlob: zeros */
async function createPageBlob(request, { blobs }) {
    const { headers, body } = request;
    refusePast(request.query);
    if (body.length !== 0)
        throw badHeader("Content-Length", String(body.length ?? ""));
    const written = await create(blobs, {
        ref: readBlobRef(request),
        ...readCreateGuards(request, IF_ALL),
        properties: readProperties(request, true, PAGE_TIERS),
        length: readPageBlobLength(headers),
        sequenceNumber: readSequenceNumber(headers, "x-ms-blob-sequence-number") ?? 0n,
    });
    return { status: 201, headers: writtenHeaders(written) };
}
export function readSequenceConditions(headers) {
    const lessOrEqual = readSequenceNumber(headers, "x-ms-if-sequence-number-le");
    const less = readSequenceNumber(headers, "x-ms-if-sequence-number-lt");
    const equal = readSequenceNumber(headers, "x-ms-if-sequence-number-eq");
    return {
        ...(lessOrEqual === undefined ? {} : { lessOrEqual }),
        ...(less === undefined ? {} : { less }),
        ...(equal === undefined ? {} : { equal }),
    };
}
/** The pages a write names: both ends on page boundaries. */
export function readPageSpan(headers) {
    const { from, length } = requireRange(headers);
    const { pageBytes } = BLOB_LIMITS;
    if (from % pageBytes !== 0 || length % pageBytes !== 0)
        throw new Refusal("InvalidPageRange");
    return { start: from, length };
}
export function readPageWrite(request) {
    refusePast(request.query);
    return {
        ref: readBlobRef(request),
        ...readBlobGuards(request, IF_ALL),
        span: readPageSpan(request.headers),
        sequence: readSequenceConditions(request.headers),
        encryption: readEncryption(request),
    };
}
export function checkPageWriteLength({ length }) {
    const { pageWriteBytesMax } = BLOB_LIMITS;
    if (length > pageWriteBytesMax) {
        throw new Refusal("RequestBodyTooLarge", { elements: { MaxLimit: String(pageWriteBytesMax) } });
    }
}
/** PUT ?comp=page: x-ms-page-write says whether pages are written or cleared */
async function putPage(request, { blobs }) {
    const { headers, body } = request;
    const action = requireHeader(headers, "x-ms-page-write").toLowerCase();
    const write = readPageWrite(request);
    if (action === "clear") {
        if (body.length !== 0)
            throw badHeader("Content-Length", String(body.length ?? ""));
        return { status: 201, headers: pageHeaders(request, await clearPage(blobs, write), {}) };
    }
    if (action !== "update")
        throw badHeader("x-ms-page-write", action);
    checkPageWriteLength(write.span);
    if (body.length !== undefined && body.length !== write.span.length) {
        throw badHeader("Content-Length", String(body.length));
    }
    const bytes = await body.read(BLOB_LIMITS.pageWriteBytesMax);
    if (bytes.length !== write.span.length)
        throw badHeader("Content-Length", String(bytes.length));
    const written = await put(blobs, { ...write, body: bytes });
    const wantsCrc64 = headers["content-md5"] === undefined;
    const { crc64 } = checkBytes(bytes, { declared: {}, wantsCrc64 });
    return { status: 201, headers: pageHeaders(request, written, digestHeaders(request, crc64)) };
}
export function pageHeaders({ headers }, written, digests) {
    return {
        ...writtenHeaders({ ...written, version: undefined }),
        ...digests,
        "x-ms-blob-sequence-number": String(written.sequenceNumber),
        "x-ms-structured-body": headers["x-ms-structured-body"] === undefined ? undefined : STRUCTURED_BODY,
    };
}
const common = { method: "PUT", resource: "blob", returnsEtag: true, lease: "checked" };
export const PAGE_BLOB_ROWS = [
    row({
        ...common,
        name: "PutPageBlob",
        header: { "x-ms-blob-type": "PageBlob" },
        permission: onBlob(["c", "w"]),
        conditions: IF_ALL,
        // A body is looked at to be refused in the protocol's words.
        body: "stream",
        bodyBytesMax: BLOB_LIMITS.putBlobBytesMax,
        ok: [201],
        handle: createPageBlob,
    }),
    row({
        ...common,
        name: "PutPage",
        query: { comp: "page" },
        permission: onBlob(["w"]),
        conditions: IF_ALL,
        body: "stream",
        bodyBytesMax: BLOB_LIMITS.putBlobBytesMax,
        ok: [201],
        handle: putPage,
    }),
];
