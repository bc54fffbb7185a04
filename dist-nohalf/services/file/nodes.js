import { assert } from "../../base/assert.js";
import { Refusal } from "../../base/refusals.js";
import { revisionAt } from "../../base/revision.js";
import { entriesRange, entryKey, nodeKey } from "../../store/keys/file.js";
import { entryRecord, nodeRecord, } from "../../store/records/file.js";
import { foldName } from "./names.js";
import { volumeOf } from "./shares.js";
import { deleteVersioned, putVersioned } from "./versions.js";
/** Files and directories: finding them by path, and writing their records. */
export const ROOT = 0n;
export async function findEntry(view, share, directory, name) {
    const stored = await view.get(entryKey(share, directory, foldName(name)));
    return stored === undefined ? undefined : entryRecord.unpack(stored);
}
/** The directory that these names lead to. A file on the way is as good as nothing. */
async function walk(view, share, names) {
    let directory = ROOT;
    for (const name of names) {
        const entry = await findEntry(view, share, directory, name);
        if (entry?.kind !== "directory")
            throw new Refusal("ParentNotFound");
        directory = entry.node;
    }
    return directory;
}
/** The place a path names; the root has none. */
export async function findPlace(view, share, path) {
    assert(path.length > 0, "the root directory has no place in another");
    const parent = await walk(view, share, path.slice(0, -1));
    const name = path.at(-1);
    return { parent, name, entry: await findEntry(view, share, parent, name) };
}
export async function findNode(view, share, id) {
    const stored = await view.get(nodeKey(share, id));
    return stored === undefined ? undefined : nodeRecord.unpack(stored);
}
export async function readNode(view, share, id) {
    const record = await findNode(view, share, id);
    assert(record !== undefined, `an entry names node ${id}, which is not there`);
    return record;
}
/** The node at a path, whatever it is. */
export async function findAny(view, share, path) {
    if (path.length === 0)
        return { id: ROOT, record: await readNode(view, share, ROOT) };
    const { entry } = await findPlace(view, share, path);
    if (entry === undefined)
        throw new Refusal("ResourceNotFound");
    return { id: entry.node, record: await readNode(view, share, entry.node) };
}
export async function findFile(view, share, path) {
    const node = await findAny(view, share, path);
    if (node.record.kind !== "file")
        throw new Refusal("ResourceTypeMismatch");
    return node;
}
export async function findDirectory(view, share, path) {
    const node = await findAny(view, share, path);
    if (node.record.kind !== "directory")
        throw new Refusal("ResourceTypeMismatch");
    return node;
}
/**
 * For those who only look: asked as what it is not, a node is not there. Clients find out so whether a path is a
 * file or a directory.
 */
export async function lookUp(view, share, path, kind) {
    const node = await findAny(view, share, path);
    if (node.record.kind !== kind)
        throw new Refusal("ResourceNotFound");
    return node;
}
export async function isEmptyDirectory(view, share, directory) {
    for await (const _ of view.range({ ...entriesRange(share, directory, "", undefined), limit: 1 })) {
        return false;
    }
    return true;
}
export async function putNode(write, share, id, record, since) {
    const key = nodeKey(share.id, id);
    // A node that has its id from this revision was not there before.
    const stored = id === since ? undefined : await write.get(key);
    putVersioned(write, volumeOf(share), { key, body: nodeRecord.pack(record), since, stored });
}
export async function removeNode(write, share, id) {
    const key = nodeKey(share.id, id);
    const stored = await write.get(key);
    if (stored !== undefined)
        deleteVersioned(write, volumeOf(share), key, stored);
}
export async function putEntry(write, share, directory, entry, since) {
    const key = entryKey(share.id, directory, foldName(entry.name));
    const stored = entry.node === since ? undefined : await write.get(key);
    putVersioned(write, volumeOf(share), { key, body: entryRecord.pack(entry), since, stored });
}
export async function removeEntry(write, share, directory, name) {
    const key = entryKey(share.id, directory, foldName(name));
    const stored = await write.get(key);
    if (stored !== undefined)
        deleteVersioned(write, volumeOf(share), key, stored);
}
/** Names from the root down, for those who know only the id. */
export async function pathOf(view, share, id) {
    const names = [];
    for (let at = id; at !== ROOT;) {
        const record = await findNode(view, share, at);
        if (record === undefined)
            return names;
        names.unshift(record.name);
        at = record.parent;
    }
    return names;
}
/** The wall clock of a transaction in the ticks that file times are kept in. */
export function ticksOf(write) {
    return revisionAt(write.now());
}
