import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { Refusal } from "../../base/refusals.js";
import { beginCopy, failCopy, finishCopy, } from "../../services/blob/copy-from-elsewhere.js";
import { putBlob } from "../../services/blob/put-blob.js";
import { CheckedBody, readDeclaredDigest } from "../wire/digest.js";
import { BLOB_TYPES } from "./blob-replies.js";
import { fetchSource } from "./fetch-source.js";
import { httpOf } from "./source-body.js";
/** Copies that go on after their requests were answered; there is an end to how many. */
let running = 0;
/**
 * Copy Blob and Copy Blob From URL with a source on another server. Small sources and synchronous copies are done
 * when the answer goes out; for others it says "pending", and the bytes follow.
 */
export async function copyFromElsewhere(request, { blobs }, { url, shown }, wish) {
    const fetched = await fetchSource(request, url, { use: "copy" });
    const { headers, length } = fetched;
    try {
        // Without a length nobody could tell a copy from half of one.
        if (length === undefined || running >= BLOB_LIMITS.copiesFromElsewhereMax) {
            throw new Refusal("CannotVerifyCopySource");
        }
        const { contentMd5: _, ...http } = httpOf(headers);
        const hasMetadata = Object.keys(wish.properties.metadata).length > 0;
        const metadata = hasMetadata ? wish.properties.metadata : metadataOf(headers);
        const source = { kind: kindOf(headers), shown, length };
        const properties = { ...wish.properties, http, metadata };
        if (wish.mode === "sync") {
            return await copyNow(blobs, request, { ...wish, source, properties }, fetched);
        }
        const begun = await beginCopy(blobs, { ...wish, source, properties });
        const copy = run(blobs, request, wish, fetched);
        if (length > BLOB_LIMITS.copyAtOnceBytesMax) {
            running++;
            void copy.catch(() => { }).finally(() => running--);
            return begun;
        }
        return (await copy) ?? begun;
    }
    catch (error) {
        fetched.close();
        throw error;
    }
}
/** The bytes are here before anything is written: a synchronous copy is made whole or not at all. */
async function copyNow(blobs, request, { source, copyId, ...wish }, fetched) {
    if (source.kind !== "block")
        throw new Refusal("InvalidSourceBlobType");
    if (source.length > BLOB_LIMITS.syncCopyBytesMax)
        throw new Refusal("CopySourceTooLarge");
    const body = checkedSource(request, fetched);
    const copy = { id: copyId, source: source.shown };
    const { length } = source;
    const written = await putBlob(blobs, { ...wish, body, length, md5: () => body.md5, copy });
    return { written, copyId, status: "success" };
}
function checkedSource({ headers }, { body }) {
    const declared = readDeclaredDigest({ "content-md5": headers["x-ms-source-content-md5"] });
    return new CheckedBody(body, { declared, wantsMd5: true });
}
async function run(blobs, request, wish, fetched) {
    const checked = checkedSource(request, fetched);
    try {
        return await finishCopy(blobs, wish, checked, () => checked.md5);
    }
    catch (error) {
        const code = error instanceof Refusal ? error.code : "InternalError";
        await failCopy(blobs, wish, `500 ${code} "Copy failed after ${checked.bytesRead} of ${fetched.length} bytes."`);
        throw error;
    }
    finally {
        fetched.close();
    }
}
function kindOf(headers) {
    const kinds = Object.keys(BLOB_TYPES);
    return kinds.find((kind) => BLOB_TYPES[kind] === headers["x-ms-blob-type"]) ?? "block";
}
function metadataOf(headers) {
    const found = {};
    for (const name in headers) {
        const value = headers[name];
        if (name.startsWith("x-ms-meta-") && value !== undefined)
            found[name.slice("x-ms-meta-".length)] = value;
    }
    return found;
}
