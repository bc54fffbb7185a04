import { Refusal } from "../../base/refusals.js";
import { checkFileWrite } from "../../concurrency/file-lease.js";
import { leaseAfterWrite } from "../../concurrency/lease.js";
import { isReadOnly } from "./attributes.js";
import { findFile, putNode, ROOT, readNode, ticksOf } from "./nodes.js";
import { leaseOf, readShare, refuseSnapshot, throwIf, withLease } from "./shares.js";
import { LiveView } from "./versions.js";
export function settleTime(wish, now, present) {
    if (wish === undefined || wish === "preserve")
        return present;
    return wish === "now" ? now : wish;
}
/**
 * The order in which a file answers a call that changes it: is it there, is it being deleted, is it read-only, is
 * it leased, is a copy into it under way, is it open in a way that excludes this, is a part of it locked.
 */
export async function openForChange(write, grants, { ref, leaseId }, use, options = {}) {
    refuseSnapshot(ref);
    const share = await readShare(write, ref);
    const view = new LiveView(write);
    const node = await findFile(view, share.id, ref.path);
    checkChange(write, grants, share, node, leaseId, use, options);
    return { share, view, node };
}
export function checkChange(write, grants, share, node, leaseId, use, options = {}) {
    const grant = grants.ask(share, node, use);
    if (isReadOnly(node.record) && options.ignoresReadOnly !== true)
        throw new Refusal("ReadOnlyAttribute");
    throwIf(checkFileWrite(leaseOf(node.record), leaseId, write.now()));
    if (node.record.copy?.status === "pending" && options.ignoresCopy !== true) {
        throw new Refusal("PendingCopyOperation");
    }
    grant.pass();
}
/** A directory into which something is put must not be on its way out. */
export async function checkParent(view, grants, share, parent) {
    if (share.isOpened !== true || parent === ROOT)
        return;
    grants.ask(share, { id: parent, record: await readNode(view, share.id, parent) }, "look");
}
/** Puts a changed node: a new revision, a new change time, and what is left of an old lease gone. */
export async function putChanged(write, share, { id, record }, changes) {
    const revision = write.revision(record.revision);
    const changed = { ...record, changedAt: ticksOf(write), ...changes, revision };
    const lease = leaseAfterWrite(leaseOf(record), write.now());
    await putNode(write, share, id, withLease(changed, lease), revision);
    return revision;
}
