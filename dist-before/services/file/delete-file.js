import { openForChange } from "./node-changes.js";
import { removeEntry, removeNode } from "./nodes.js";
import { discardContent } from "./ranges.js";
import { changeUsage } from "./shares.js";
/** Gone at once, or untouched: a REST delete never leaves a file waiting for handles to close. */
export async function deleteFile(files, request) {
    await files.change(async (write, grants) => {
        const { share, node } = await openForChange(write, grants, request, "delete", { ignoresCopy: true });
        await unlinkFile(write, share, node);
    });
}
/** Takes a file out of its directory; its content is taken apart in the background. */
export async function unlinkFile(write, share, { id, record }) {
    await removeEntry(write, share, record.parent, record.name);
    await removeNode(write, share, id);
    await changeUsage(write, share, -record.size);
    discardContent(write, share, record.content);
}
