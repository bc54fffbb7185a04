import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { Refusal } from "../../base/refusals.js";
import { stagedBlockKey } from "../../store/keys/blob.js";
import { stagedBlockRecord, } from "../../store/records/blob.js";
import { findBlob } from "./blobs.js";
import { blocksOf, putBlocks } from "./content.js";
import { checkKey } from "./get-blob.js";
import { checkCreate, newBlob, writtenOf, } from "./put-blob.js";
import { replaceBlob } from "./replace-blob.js";
/**
 * Put Block List: in one transaction every id is found, the list becomes the content, blocks that are not in it
 * go, and metadata and properties are replaced. Until then readers have the old content, after it the new one.
 */
export async function putBlockList(blobs, request) {
    const { ref, properties } = request;
    if (request.blocks.length > BLOB_LIMITS.committedBlocksMax)
        throw new Refusal("BlockListTooLong");
    return blobs.parts.store.write(async (write) => {
        const found = await findBlob(write, ref);
        checkCreate(write, found, request);
        const { stored } = found;
        if (stored !== undefined && stored.kind !== "block")
            throw new Refusal("InvalidBlobType");
        if (stored?.isUncommitted === true)
            checkKey(stored, properties.encryption.keySha256);
        const blocks = await gather(blobs, write, stored, request.blocks);
        const content = blocks.length === 0 ? { inline: Buffer.alloc(0) } : putBlocks(write, blocks);
        const length = blocks.reduce((sum, block) => sum + block.length, 0);
        const made = newBlob(write, found, { kind: "block", content, length, properties });
        const after = blocks.length === 0
            ? made
            : { ...made, blockCount: blocks.length, blockIdBytes: Buffer.from(blocks[0].id, "base64").length };
        return writtenOf(await replaceBlob(blobs, write, { ...found, ref }, { before: stored, after }));
    });
}
/**
 * The blocks of the list, each holding a reference of the content it goes into: a staged block brings its own
 * along the first time it is used, every other use is one more.
 */
async function gather(blobs, write, stored, listed) {
    const staged = await stagedOf(write, stored?.staging, listed);
    const committed = await committedOf(write, stored, listed);
    const blocks = [];
    const shared = [];
    const used = new Set();
    const kinds = new Map();
    for (const { id, from } of listed) {
        // One id may stand in the list several times, but each time for the same block.
        if ((kinds.get(id) ?? from) !== from)
            throw new Refusal("InvalidBlockList");
        kinds.set(id, from);
        const fresh = from === "committed" ? undefined : staged.get(id);
        const block = fresh ?? (from === "uncommitted" ? undefined : committed.get(id));
        if (block === undefined)
            throw new Refusal("InvalidBlockList");
        if (fresh !== undefined && !used.has(id))
            used.add(id);
        else if ("slices" in block.bytes)
            shared.push(...block.bytes.slices);
        blocks.push(block);
    }
    if (shared.length > 0)
        await blobs.parts.payloads.share(write, shared);
    // Taken out of the staging, so that what is left there can be given back as a whole.
    for (const id of used)
        write.delete(stagedBlockKey(stored.staging, id));
    return blocks;
}
async function stagedOf(write, staging, listed) {
    const found = new Map();
    if (staging === undefined)
        return found;
    const ids = [...new Set(listed.filter(({ from }) => from !== "committed").map(({ id }) => id))];
    const records = await write.getMany(ids.map((id) => stagedBlockKey(staging, id)));
    for (const [i, bytes] of records.entries()) {
        if (bytes !== undefined)
            found.set(ids[i], { id: ids[i], ...stagedBlockRecord.unpack(bytes) });
    }
    return found;
}
async function committedOf(write, stored, listed) {
    const found = new Map();
    if (stored === undefined || listed.every(({ from }) => from === "uncommitted"))
        return found;
    for await (const block of blocksOf(write, stored.content))
        found.set(block.id, block);
    return found;
}
