import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { Refusal } from "../../base/refusals.js";
import { checkLeaseWrite } from "../../concurrency/lease.js";
import { stagedBlockKey, stagingKey } from "../../store/keys/blob.js";
import { stagedBlockRecord, stagingRecord, } from "../../store/records/blob.js";
import { dropContent, keepContent } from "../payload/content.js";
import { checkChangeable, findBlob, putBlobRecord } from "./blobs.js";
import { leaseOf, readContainer, throwIf } from "./containers.js";
import { checkKey } from "./get-blob.js";
import { scopeFor } from "./put-blob.js";
import { remind } from "./retention.js";
/**
 * Put Block: bytes that wait for a block list. They belong to the blob's staging, which begins with the first
 * block and ends with the next Put Block List, Put Blob or deletion, or a week after the last block. A blob that
 * did not exist is there from now on for blocks and leases only.
 */
export async function putBlock(blobs, request) {
    const { store, payloads } = blobs.parts;
    await store.read((read) => readContainer(read, request.ref));
    const taken = await takeBlock(blobs, request);
    try {
        await store.write(async (write) => {
            await keepContent(payloads, write, taken.bytes);
            await stageBlock(blobs, write, request, { length: taken.length, bytes: taken.bytes });
        });
    }
    finally {
        taken.release();
    }
}
/**
 * A list of 50,000 blocks is committed in one transaction: only the smallest may bring their bytes along in it,
 * all others wait in extents.
 */
async function takeBlock(blobs, { body, length }) {
    if (body instanceof Uint8Array && body.length <= BLOB_LIMITS.inlineBlockBytesMax) {
        return { bytes: { inline: Buffer.from(body) }, length: body.length, release() { } };
    }
    const appended = await blobs.parts.payloads.append(body);
    if (length !== undefined && appended.length !== length)
        throw new Refusal("InvalidInput");
    return { bytes: { slices: appended.slices }, length: appended.length, release: () => appended.release() };
}
async function stageBlock(blobs, write, request, block) {
    const { ref, blockId, blockIdBytes } = request;
    const found = await findBlob(write, ref);
    checkStaging(write, found, request);
    const { stored, container } = found;
    const now = write.now();
    const id = stored?.staging ?? write.revision();
    if (stored?.staging === undefined) {
        remind(write, now + BLOB_LIMITS.uncommittedBlockMillis, { what: "staging", id });
        const record = stored === undefined ? placeholder(write, request, found) : stored;
        putBlobRecord(write, { container, ref }, stored, { ...record, staging: id });
    }
    const bytes = stored?.staging === undefined ? undefined : await write.get(stagingKey(id));
    const staging = bytes === undefined ? undefined : stagingRecord.unpack(bytes);
    const idBytes = staging?.blockIdBytes ?? stored?.blockIdBytes ?? blockIdBytes;
    if (idBytes !== blockIdBytes)
        throw new Refusal("InvalidBlobOrBlock");
    const key = stagedBlockKey(id, blockId);
    const former = await write.get(key);
    if (former !== undefined)
        await dropContent(blobs.parts.payloads, write, stagedBlockRecord.unpack(former).bytes);
    const count = (staging?.count ?? 0) + (former === undefined ? 1 : 0);
    if (count > BLOB_LIMITS.uncommittedBlocksMax)
        throw new Refusal("UncommittedBlockCountExceedsLimit");
    write.put(key, stagedBlockRecord.pack(block));
    const next = { container: container.id, blob: ref.blob, count, blockIdBytes: idBytes, lastAt: now };
    write.put(stagingKey(id), stagingRecord.pack(next));
}
function checkStaging(write, { stored, blob, container }, request) {
    throwIf(checkLeaseWrite(leaseOf(stored ?? {}), request.leaseId, write.now(), "Blob"));
    if (stored !== undefined && stored.kind !== "block")
        throw new Refusal("InvalidBlobType");
    if (blob !== undefined) {
        if (!request.mayOverwrite)
            throw new Refusal("UnauthorizedBlobOverwrite");
        checkChangeable(blob, write.now());
    }
    // The blocks of one blob are all written with the same key.
    if (stored?.isUncommitted === true)
        checkKey(stored, request.encryption.keySha256);
    scopeFor(container, request.encryption);
}
function placeholder(write, { encryption }, { container }) {
    const revision = write.revision();
    const scope = scopeFor(container, encryption);
    return {
        id: revision,
        kind: "block",
        revision,
        created: revision,
        length: 0,
        content: { inline: Buffer.alloc(0) },
        http: {},
        isUncommitted: true,
        ...(encryption.keySha256 === undefined ? {} : { keySha256: encryption.keySha256 }),
        ...(scope === undefined ? {} : { encryptionScope: scope }),
    };
}
