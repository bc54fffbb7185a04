import { blockPageKey, blockPagesOf, contentKey, placeOfBlockPage } from "../../store/keys/blob.js";
import { blockPageRecord, contentRecord, } from "../../store/records/blob.js";
import { pageStart, releaseBlobContent } from "./content.js";
/**
 * The content of an append blob: blocks like those of a block blob, one at a key, keyed by the offset it was
 * written to. An append writes one new key and no old one, so its cost does not grow with the blob.
 *
 * Snapshots and copies share the content and read no further than their own length; the blob goes on growing
 * behind it. Only where two of them want to grow from the same place does the second one need a content of its
 * own: it finds the key it wants taken.
 */
export async function appendToContent(payloads, write, { content, length }, bytes, appended) {
    const grown = await ownBlocks(payloads, write, { content, length });
    const entry = { id: "", length: appended, bytes };
    write.put(placeAt(grown, length), blockPageRecord.pack({ blocks: [entry] }));
    return { blocks: grown };
}
function placeAt(content, offset) {
    return blockPageKey(content, pageStart(offset, 0));
}
/** The id of a content of blocks that ends at `length`. */
async function ownBlocks(payloads, write, { content, length }) {
    if ("blocks" in content) {
        if ((await write.get(placeAt(content.blocks, length))) === undefined)
            return content.blocks;
        const id = await copyBlocks(payloads, write, content.blocks, length);
        await releaseBlobContent(payloads, write, content);
        return id;
    }
    const id = newContent(write);
    // What came in one piece (a copy from elsewhere) is the first block; its references move along.
    if (length > 0 && !("pages" in content)) {
        write.put(placeAt(id, 0), blockPageRecord.pack({ blocks: [{ id: "", length, bytes: content }] }));
    }
    return id;
}
function newContent(write) {
    const id = write.revision();
    write.put(contentKey(id), contentRecord.pack({ refs: 1 }));
    return id;
}
async function copyBlocks(payloads, write, from, length) {
    const id = newContent(write);
    const range = { ...blockPagesOf(from), to: placeAt(from, length) };
    for await (const { key, value } of write.range(range)) {
        write.put(blockPageKey(id, placeOfBlockPage(key)), value);
        for (const { bytes } of blockPageRecord.unpack(value).blocks) {
            if ("slices" in bytes)
                await payloads.share(write, bytes.slices);
        }
    }
    return id;
}
