import { Refusal } from "../../base/refusals.ts";
import { snapshotKey } from "../../store/keys/file.ts";
import { snapshotRecord } from "../../store/records/file.ts";
import { applyLeaseAction, type LeaseAction, type LeaseResult, leaseOf, withLease } from "../lease-action.ts";
import type { FileService } from "./file-service.ts";
import { findKind, putInode } from "./inodes.ts";
import type { PathRef, SnapshotRef } from "./names.ts";
import { putShare, readShare, readSnapshot } from "./shares.ts";
import { LiveView } from "./versions.ts";

/**
 * The lease of a file is infinite. While it is active, SMB clients can open the file for reading only, and a
 * client can acquire it only while no SMB client has the file open for more. No lease action changes an ETag
 * or a time.
 */
export function leaseFile(
  files: FileService,
  { ref, lease: action }: { readonly ref: PathRef; readonly lease: LeaseAction },
): Promise<LeaseResult> {
  if (ref.snapshot !== undefined) throw new Refusal("ShareSnapshotOperationNotSupported");
  return files.change(async (write, admissions) => {
    const share = await readShare(write, ref);
    const inode = await findKind(new LiveView(write), share.id, ref.path, "file");
    const admission = admissions.ask(share, inode, action.action === "acquire" ? "lease" : "look");
    if (inode.record.copy?.status === "pending") throw new Refusal("PendingCopyOperation");
    const { lease, secondsLeft } = applyLeaseAction(leaseOf(inode.record), action, write.now());
    admission.pass();
    await putInode(write, share, inode.id, withLease(inode.record, lease), write.revision());
    return { revision: inode.record.revision, lease, secondsLeft };
  });
}

/** A share and each of its snapshots have leases of their own. */
export function leaseShare(
  files: FileService,
  { ref, lease: action }: { readonly ref: SnapshotRef; readonly lease: LeaseAction },
): Promise<LeaseResult> {
  const { snapshot: time } = ref;
  return files.change(async (write) => {
    const share = await readShare(write, ref);
    const snapshot = time === undefined ? undefined : await readSnapshot(write, share.id, time);
    const leased = snapshot ?? share;
    const { lease, secondsLeft } = applyLeaseAction(leaseOf(leased), action, write.now());
    if (snapshot === undefined) putShare(write, ref, withLease(share, lease));
    else write.put(snapshotKey(share.id, time!), snapshotRecord.pack(withLease(snapshot, lease)));
    return { revision: leased.revision, lease, secondsLeft };
  });
}
