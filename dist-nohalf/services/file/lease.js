import { Refusal } from "../../base/refusals.js";
import { applyLeaseAction } from "../lease-action.js";
import { findFile, putNode } from "./nodes.js";
import { putFacts } from "./share-properties.js";
import { leaseOf, readShare, readSnapshot, refuseSnapshot, withLease } from "./shares.js";
import { LiveView } from "./versions.js";
/**
 * A file's lease never ends by itself. While it is held, SMB clients can open the file for reading only; to get it,
 * no SMB client may have it open for more. No lease action changes an ETag or a time.
 */
export function leaseFile(files, { ref, lease: action }) {
    if (ref.snapshot !== undefined)
        throw new Refusal("ShareSnapshotOperationNotSupported");
    refuseSnapshot(ref);
    return files.change(async (write, grants) => {
        const share = await readShare(write, ref);
        const node = await findFile(new LiveView(write), share.id, ref.path);
        const grant = grants.ask(share, node, action.action === "acquire" ? "lease" : "look");
        if (node.record.copy?.status === "pending")
            throw new Refusal("PendingCopyOperation");
        const { lease, secondsLeft } = applyLeaseAction(leaseOf(node.record), action, write.now());
        grant.pass();
        await putNode(write, share, node.id, withLease(node.record, lease), write.revision());
        return { revision: node.record.revision, lease, secondsLeft };
    });
}
/** A share and each of its snapshots have leases of their own. */
export function leaseShare(files, { ref, lease: action }) {
    return files.change(async (write) => {
        const share = await readShare(write, ref);
        const facts = ref.snapshot === undefined ? share : await readSnapshot(write, share.id, ref.snapshot);
        const { lease, secondsLeft } = applyLeaseAction(leaseOf(facts), action, write.now());
        await putFacts(write, ref, share, (present) => withLease(present, lease));
        return { revision: facts.revision, lease, secondsLeft };
    });
}
