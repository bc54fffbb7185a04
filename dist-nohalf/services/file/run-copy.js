import { FILE_LIMITS } from "../../base/limits-file.js";
import { Refusal } from "../../base/refusals.js";
import { copyNextRanges, endCopy, putCopiedBytes } from "./copy-file.js";
/**
 * Carries a copy to its end, step by step, while the client already has its answer. It ends as "success" or
 * "failed"; a copy that the client aborts ends where it is. A copy that its process did not survive stays
 * "pending" until the client aborts it or deletes the file.
 */
export async function runCopy(files, work, bytes) {
    try {
        if (work.source !== undefined)
            await copyWithin(files, { ...work, source: work.source });
        else if (bytes !== undefined)
            await copyFrom(files, work, bytes);
        await endCopy(files, work, { status: "success" });
    }
    catch (error) {
        if (error instanceof Refusal && error.code === "NoPendingCopyOperation")
            return;
        const description = error instanceof Refusal ? error.row.text : "The source could not be read to its end.";
        if (!(error instanceof Refusal))
            files.parts.log.warn({ err: error }, "a copy failed");
        await endCopy(files, work, { status: "failed", description }).catch((err) => {
            // Aborted in the same moment, or the store is closing: nobody waits for this any more.
            files.parts.log.warn({ err }, "the end of a copy could not be written down");
        });
    }
}
async function copyWithin(files, work) {
    let from = 0;
    while (from !== undefined)
        from = (await copyNextRanges(files, work, from)).next;
}
async function copyFrom(files, work, bytes) {
    let offset = 0;
    let pending = [];
    let length = 0;
    const flush = async () => {
        if (length === 0)
            return;
        const whole = Buffer.concat(pending, length);
        for (let at = 0; at < whole.length; at += FILE_LIMITS.rangeBytesMax) {
            const part = whole.subarray(at, at + FILE_LIMITS.rangeBytesMax);
            await putCopiedBytes(files, work, offset, part);
            offset += part.length;
        }
        pending = [];
        length = 0;
    };
    for await (const piece of bytes) {
        pending.push(piece);
        length += piece.length;
        if (length >= FILE_LIMITS.rangeBytesMax)
            await flush();
    }
    await flush();
    if (offset !== work.size)
        throw new Refusal("CannotVerifyCopySource");
}
