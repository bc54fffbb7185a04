import { entriesRange, foldedOfEntryKey, nodeKey } from "../../store/keys/file.js";
import { entryRecord, nodeRecord } from "../../store/records/file.js";
import { foldName } from "./names.js";
import { lookUp } from "./nodes.js";
import { openShare } from "./shares.js";
/**
 * One level of a directory, files and directories in one order that does not look at case. A page costs what it
 * holds, wherever it begins. Files that wait for their last handle to close are not shown.
 */
export function listDirectory(files, request) {
    const { ref, prefix, maxResults, from } = request;
    return files.read(async (read, grants) => {
        const { share, view } = await openShare(read, ref);
        const directory = await lookUp(view, share.id, ref.path, "directory");
        if (ref.snapshot === undefined)
            grants.ask(share, directory, "look");
        const hidden = ref.snapshot === undefined ? grants.hidden(share) : undefined;
        const found = [];
        let next;
        for await (const { key, value } of view.range(entriesRange(share.id, directory.id, foldName(prefix), from))) {
            const entry = entryRecord.unpack(value);
            if (hidden?.has(entry.node) === true)
                continue;
            if (found.length === maxResults) {
                next = foldedOfEntryKey(key);
                break;
            }
            found.push(entry);
        }
        const entries = [];
        const stored = await view.getMany(found.map(({ node }) => nodeKey(share.id, node)));
        for (const [i, entry] of found.entries()) {
            const bytes = stored[i];
            if (bytes !== undefined)
                entries.push({ entry, record: nodeRecord.unpack(bytes) });
        }
        return { directory, entries, next };
    });
}
