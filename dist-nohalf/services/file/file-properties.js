import { FILE_LIMITS } from "../../base/limits-file.js";
import { Refusal } from "../../base/refusals.js";
import { settledAttributes } from "./attributes.js";
import { openForChange, putChanged, settleTime, } from "./node-changes.js";
import { readNode, ticksOf } from "./nodes.js";
import { settlePermission } from "./permissions.js";
import { clearBytes } from "./ranges.js";
import { changeUsage } from "./shares.js";
export function setFileProperties(files, request) {
    const { wishes, headers, size } = request;
    if (size !== undefined && size > FILE_LIMITS.fileBytesMax)
        throw new Refusal("OutOfRangeInput");
    return files.change(async (write, grants) => {
        // Taking the attribute away is the one change a read-only file takes.
        const ignoresReadOnly = wishes.attributes !== undefined;
        const opened = await openForChange(write, grants, request, "write", { ignoresReadOnly });
        const { share, view, node } = opened;
        const { record } = node;
        const now = ticksOf(write);
        const inherited = (await readNode(view, share.id, record.parent)).permission;
        const permission = await settlePermission(write, share.id, wishes.permission, {
            own: record.permission,
            inherited,
        });
        const resized = size === undefined || size === record.size ? {} : await resize(files, write, opened, size);
        const changes = {
            attributes: settledAttributes("file", wishes.attributes ?? record.attributes),
            createdAt: settleTime(wishes.createdAt, now, record.createdAt),
            writtenAt: settleTime(wishes.writtenAt, now, "size" in resized ? now : record.writtenAt),
            changedAt: settleTime(wishes.changedAt, now, now),
            ...(permission === undefined ? {} : { permission }),
            ...(headers === undefined ? {} : { headers }),
            ...resized,
        };
        await putChanged(write, share, node, changes);
        return { id: node.id, record: await readNode(view, share.id, node.id) };
    });
}
/** A file that shrinks forgets what was beyond its end; one that grows reads zeros there. */
export async function resize({ parts: { payloads } }, write, { share, node: { record } }, size) {
    await changeUsage(write, share, size - record.size);
    const since = write.revision(record.dataRevision);
    if (size < record.size) {
        await clearBytes({ write, payloads, share, content: record.content, since }, size, record.size);
    }
    return { size, dataRevision: since };
}
export function setFileMetadata(files, request) {
    return files.change(async (write, grants) => {
        const { share, node } = await openForChange(write, grants, request, "write");
        return putChanged(write, share, node, { metadata: request.metadata });
    });
}
