import { Refusal } from "../../base/refusals.js";
import { ATTRIBUTE, isReadOnly, settledAttributes } from "./attributes.js";
import { checkParent, putChanged, settleTime } from "./node-changes.js";
import { findDirectory, findPlace, isEmptyDirectory, lookUp, putEntry, putNode, readNode, removeEntry, removeNode, ticksOf, } from "./nodes.js";
import { settlePermission } from "./permissions.js";
import { openShare, readShare, refuseSnapshot } from "./shares.js";
import { LiveView } from "./versions.js";
export function createDirectory(files, request) {
    const { ref, wishes, metadata } = request;
    refuseSnapshot(ref);
    return files.change(async (write, grants) => {
        const share = await readShare(write, ref);
        const view = new LiveView(write);
        if (ref.path.length === 0)
            throw new Refusal("ResourceAlreadyExists");
        const { parent, name, entry } = await findPlace(view, share.id, ref.path);
        await checkParent(view, grants, share, parent);
        if (entry !== undefined) {
            grants.ask(share, { id: entry.node, record: await readNode(view, share.id, entry.node) }, "look");
            throw new Refusal("ResourceAlreadyExists");
        }
        const revision = write.revision();
        const now = ticksOf(write);
        const inherited = (await readNode(view, share.id, parent)).permission;
        const permission = await settlePermission(write, share.id, wishes.permission, {
            own: undefined,
            inherited,
        });
        const record = {
            kind: "directory",
            parent,
            name,
            revision,
            attributes: settledAttributes("directory", wishes.attributes ?? ATTRIBUTE.Directory),
            createdAt: settleTime(wishes.createdAt, now, now),
            writtenAt: settleTime(wishes.writtenAt, now, now),
            changedAt: settleTime(wishes.changedAt, now, now),
            size: 0,
            content: revision,
            dataRevision: revision,
            ...(permission === undefined ? {} : { permission }),
            ...(metadata === undefined || Object.keys(metadata).length === 0 ? {} : { metadata }),
        };
        await putNode(write, share, revision, record, revision);
        await putEntry(write, share, parent, { name, node: revision, kind: "directory" }, revision);
        return { id: revision, record };
    });
}
export function getDirectoryProperties(files, ref) {
    return files.read(async (read, grants) => {
        const { share, view } = await openShare(read, ref);
        const node = await lookUp(view, share.id, ref.path, "directory");
        if (ref.snapshot === undefined)
            grants.ask(share, node, "look");
        return node;
    });
}
/** Gone at once, or untouched. The root stays as long as its share. */
export async function deleteDirectory(files, ref) {
    refuseSnapshot(ref);
    await files.change(async (write, grants) => {
        const share = await readShare(write, ref);
        const view = new LiveView(write);
        if (ref.path.length === 0)
            throw new Refusal("CannotDeleteFileOrDirectory");
        const node = await findDirectory(view, share.id, ref.path);
        const grant = grants.ask(share, node, "delete");
        if (!(await isEmptyDirectory(view, share.id, node.id)))
            throw new Refusal("DirectoryNotEmpty");
        if (isReadOnly(node.record))
            throw new Refusal("ReadOnlyAttribute");
        grant.pass();
        await removeEntry(write, share, node.record.parent, node.record.name);
        await removeNode(write, share, node.id);
    });
}
export function setDirectoryMetadata(files, ref, metadata) {
    refuseSnapshot(ref);
    return files.change(async (write, grants) => {
        const share = await readShare(write, ref);
        const node = await findDirectory(new LiveView(write), share.id, ref.path);
        const grant = grants.ask(share, node, "write");
        if (isReadOnly(node.record))
            throw new Refusal("ReadOnlyAttribute");
        grant.pass();
        return putChanged(write, share, node, { metadata });
    });
}
export function setDirectoryProperties(files, ref, wishes) {
    refuseSnapshot(ref);
    return files.change(async (write, grants) => {
        const share = await readShare(write, ref);
        const view = new LiveView(write);
        const node = await findDirectory(view, share.id, ref.path);
        const grant = grants.ask(share, node, "write");
        // Taking the attribute away is the one change a read-only directory takes.
        if (isReadOnly(node.record) && wishes.attributes === undefined)
            throw new Refusal("ReadOnlyAttribute");
        grant.pass();
        const { record } = node;
        const now = ticksOf(write);
        const inherited = (await readNode(view, share.id, record.parent)).permission;
        const permission = await settlePermission(write, share.id, wishes.permission, {
            own: record.permission,
            inherited,
        });
        const changes = {
            attributes: settledAttributes("directory", wishes.attributes ?? record.attributes),
            createdAt: settleTime(wishes.createdAt, now, record.createdAt),
            writtenAt: settleTime(wishes.writtenAt, now, record.writtenAt),
            changedAt: settleTime(wishes.changedAt, now, now),
            ...(permission === undefined ? {} : { permission }),
        };
        await putChanged(write, share, node, changes);
        return { id: node.id, record: await readNode(view, share.id, node.id) };
    });
}
