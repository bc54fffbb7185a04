import { Refusal } from "../../base/refusals.js";
import { checkFileWrite } from "../../concurrency/file-lease.js";
import { leaseAfterWrite } from "../../concurrency/lease.js";
import { settledAttributes } from "./attributes.js";
import { unlinkFile } from "./delete-file.js";
import { isBelow } from "./list-handles.js";
import { checkChange, checkParent, settleTime } from "./node-changes.js";
import { findAny, findPlace, putEntry, putNode, readNode, removeEntry, ticksOf, } from "./nodes.js";
import { settlePermission } from "./permissions.js";
import { leaseOf, readShare, refuseSnapshot, throwIf, withLease } from "./shares.js";
import { LiveView } from "./versions.js";
/**
 * Moves one entry from one directory to another. What a directory holds is keyed by its id and is not touched: a
 * directory with a million entries moves like an empty one.
 */
export function rename(files, request) {
    const { source, destination, kind } = request;
    refuseSnapshot(source);
    refuseSnapshot(destination);
    if (source.account !== destination.account || source.share !== destination.share) {
        throw new Refusal("InvalidInput", { text: "A rename stays within one share." });
    }
    return files.change(async (write, grants) => {
        const share = await readShare(write, destination);
        const view = new LiveView(write);
        if (source.path.length === 0 || destination.path.length === 0) {
            throw new Refusal("InvalidInput", { text: "The root directory has no name to change." });
        }
        const node = await findAny(view, share.id, source.path);
        if (node.record.kind !== kind)
            throw new Refusal("ResourceTypeMismatch");
        const place = await findPlace(view, share.id, destination.path);
        const grant = grants.ask(share, node, "rename");
        await checkParent(view, grants, share, place.parent);
        if (kind === "file") {
            throwIf(checkFileWrite(leaseOf(node.record), request.sourceLeaseId, write.now()));
            if (node.record.copy?.status === "pending")
                throw new Refusal("PendingCopyOperation");
        }
        else
            await checkTree(view, grants, share, node, place);
        grant.pass();
        await clearPlace(write, view, grants, share, node, place, request);
        return move(write, view, share, node, place, request);
    });
}
/** A directory cannot move below itself, and not while something below it is open. */
async function checkTree(view, grants, share, node, place) {
    if (await isBelow(view, share.id, place.parent, node.id)) {
        throw new Refusal("InvalidInput", { text: "A directory cannot be moved into itself." });
    }
    for (const open of grants.openNodes(share)) {
        if (await isBelow(view, share.id, open, node.id))
            throw new Refusal("SharingViolation");
    }
}
/** Makes room where the node goes. A new spelling of its own name is no other node. */
async function clearPlace(write, view, grants, share, node, { entry }, request) {
    const { replacesExisting, ignoresReadOnly, destinationLeaseId } = request;
    if (entry === undefined || entry.node === node.id) {
        if (entry === undefined && destinationLeaseId !== undefined && request.kind === "file") {
            throw new Refusal("LeaseNotPresentWithFileOperation");
        }
        return;
    }
    const target = { id: entry.node, record: await readNode(view, share.id, entry.node) };
    if (!replacesExisting || entry.kind === "directory" || request.kind === "directory") {
        grants.ask(share, target, "look");
        throw new Refusal("ResourceAlreadyExists");
    }
    checkChange(write, grants, share, target, destinationLeaseId, "overwrite", { ignoresReadOnly });
    await unlinkFile(write, share, target);
}
async function move(write, view, share, { id, record }, { parent, name }, { kind, wishes, metadata, contentType }) {
    const revision = write.revision(record.revision);
    const now = ticksOf(write);
    const inherited = (await readNode(view, share.id, parent)).permission;
    const permission = await settlePermission(write, share.id, wishes.permission, {
        own: record.permission,
        inherited,
    });
    const headers = contentType === undefined ? record.headers : { ...record.headers, contentType };
    const moved = {
        ...record,
        parent,
        name,
        revision,
        attributes: settledAttributes(kind, wishes.attributes ?? record.attributes),
        createdAt: settleTime(wishes.createdAt, now, record.createdAt),
        writtenAt: settleTime(wishes.writtenAt, now, record.writtenAt),
        changedAt: settleTime(wishes.changedAt, now, now),
        ...(permission === undefined ? {} : { permission }),
        ...(metadata === undefined || Object.keys(metadata).length === 0 ? {} : { metadata }),
        ...(headers === undefined ? {} : { headers }),
    };
    const kept = withLease(moved, leaseAfterWrite(leaseOf(record), write.now()));
    await removeEntry(write, share, record.parent, record.name);
    await putEntry(write, share, parent, { name, node: id, kind }, revision);
    await putNode(write, share, id, kept, revision);
    return { id, record: kept };
}
