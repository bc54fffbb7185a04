import { Refusal } from "../../base/refusals.js";
import { openBlobContent } from "./content.js";
import { readSource } from "./copy-blob.js";
/** A blob of this server, judged as a source and opened in the same snapshot. */
export async function openSource(blobs, source, { use, rangeOf }) {
    return blobs.parts.store.read(async (read) => {
        const record = await readSource(read, source, use);
        if (record.tier === "Archive")
            throw new Refusal("BlobArchived");
        const range = rangeOf(record.length);
        return { record, range, payload: await openBlobContent(blobs.parts.payloads, read, record, range) };
    });
}
