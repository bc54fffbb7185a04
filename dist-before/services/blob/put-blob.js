import { LIMITS } from "../../base/limits.js";
import { Refusal } from "../../base/refusals.js";
import { keepContent, takeIn } from "../payload/content.js";
import { checkBlobWrite, findBlob } from "./blobs.js";
import { readContainer } from "./containers.js";
import { replaceBlob } from "./replace-blob.js";
/** Put Blob of a block blob: creates or replaces. Bytes first, record second, as everywhere. */
export async function putBlob(blobs, request) {
    const { store, payloads } = blobs.parts;
    const { ref, properties, length } = request;
    // Not trusted later, but a client with a large body for nowhere should hear of it before it has sent it.
    if (length === undefined || length > LIMITS.inlineBytesMax)
        await store.read((read) => readContainer(read, ref));
    const taken = await takeIn(payloads, request.body, length);
    try {
        const computed = request.md5();
        const contentMd5 = properties.http.contentMd5 ?? computed;
        return await store.write(async (write) => {
            const found = await findBlob(write, ref);
            checkCreate(write, found, request);
            await keepContent(payloads, write, taken.content);
            const made = newBlob(write, found, {
                kind: "block",
                content: taken.content,
                length: taken.length,
                properties: contentMd5 === undefined ? properties : { ...properties, http: { ...properties.http, contentMd5 } },
            });
            const { copy } = request;
            const after = copy === undefined ? made : { ...made, copy: finished(copy, taken.length, write.now()) };
            return writtenOf(await replaceBlob(blobs, write, { ...found, ref }, { before: found.stored, after }));
        });
    }
    finally {
        taken.release();
    }
}
function finished(copy, bytes, now) {
    return { ...copy, status: "success", bytesCopied: bytes, bytesTotal: bytes, completedAt: now };
}
export function checkCreate(write, found, guards) {
    if (found.blob !== undefined && !guards.mayOverwrite)
        throw new Refusal("UnauthorizedBlobOverwrite");
    checkBlobWrite(write, found, guards, "create");
}
export function writtenOf({ revision, version, http, keySha256, encryptionScope }) {
    return { revision, version, contentMd5: http.contentMd5, keySha256, encryptionScope };
}
/** The record of a blob that begins now, above whatever had its name. */
export function newBlob(write, { container, stored }, given) {
    const revision = write.revision(stored?.revision);
    const { http, metadata, tags, tier, encryption, immutability, hasLegalHold } = given.properties;
    const isOverwrite = stored !== undefined && stored.isUncommitted !== true;
    // Field by field: a record is made for every write, and each spread would make an object more.
    const record = {
        id: revision,
        kind: given.kind,
        revision,
        created: isOverwrite ? stored.created : revision,
        length: given.length,
        content: given.content,
        http,
    };
    if (isNotEmpty(metadata))
        record.metadata = metadata;
    if (tags !== undefined && isNotEmpty(tags))
        record.tags = tags;
    if (tier !== undefined) {
        record.tier = tier;
        record.tierChangedAt = write.now();
    }
    if (encryption.keySha256 !== undefined)
        record.keySha256 = encryption.keySha256;
    const scope = scopeFor(container, encryption);
    if (scope !== undefined)
        record.encryptionScope = scope;
    if (immutability !== undefined)
        record.immutability = immutability;
    if (hasLegalHold === true)
        record.hasLegalHold = hasLegalHold;
    return record;
}
function isNotEmpty(record) {
    for (const _ in record)
        return true;
    return false;
}
/** The container may have a scope of its own, and may insist on it. */
export function scopeFor({ encryptionScope }, wish) {
    if (encryptionScope === undefined)
        return wish.scope;
    const isOther = wish.scope !== undefined && wish.scope !== encryptionScope.name;
    if (encryptionScope.isEnforced && (isOther || wish.keySha256 !== undefined)) {
        throw new Refusal("RequestForbiddenByContainerEncryptionPolicy");
    }
    return wish.scope ?? (wish.keySha256 === undefined ? encryptionScope.name : undefined);
}
