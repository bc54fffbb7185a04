import { FILE_LIMITS } from "../../base/limits-file.js";
import { Refusal } from "../../base/refusals.js";
import { keepContent } from "../payload/content.js";
import { openForChange, putChanged } from "./node-changes.js";
import { ticksOf } from "./nodes.js";
import { clearRange as clear, putBytes } from "./ranges.js";
/** Puts bytes that have been taken in. They are in the file, all of them and durable, or none is. */
export async function putRange(files, request) {
    const { bytes, from, to } = request;
    try {
        if (to - from > FILE_LIMITS.rangeBytesMax)
            throw new Refusal("RequestBodyTooLarge");
        if (bytes.length !== to - from) {
            throw new Refusal("InvalidInput", { text: "The length of the body is not that of the range." });
        }
        return await changeRange(files, request, bytes.content);
    }
    finally {
        bytes.release();
    }
}
export function clearRange(files, request) {
    return changeRange(files, request, undefined);
}
function changeRange(files, request, content) {
    const { payloads } = files.parts;
    return files.change(async (write, grants) => {
        const { share, node } = await openForChange(write, grants, request, "write");
        const { record } = node;
        if (request.to > record.size) {
            throw new Refusal("InvalidRange", { headers: { "Content-Range": `bytes */${record.size}` } });
        }
        const writtenAt = request.keepsWriteTime === true ? record.writtenAt : ticksOf(write);
        const revision = await putChanged(write, share, node, {
            writtenAt,
            dataRevision: write.revision(record.dataRevision),
        });
        const at = { write, payloads, share, content: record.content, since: revision };
        if (content === undefined)
            await clear(at, request.from, request.to);
        else {
            await keepContent(payloads, write, content);
            await putBytes(at, request.from, content);
        }
        return { revision, writtenAt };
    });
}
