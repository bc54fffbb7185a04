import { Refusal } from "../../base/refusals.ts";
import { applyLeaseAction, type LeaseAction, type LeaseResult } from "../lease-action.ts";
import type { FileService } from "./file-service.ts";
import { findFile, putInode } from "./inodes.ts";
import type { PathRef, SnapshotRef } from "./names.ts";
import { putShareState } from "./share-properties.ts";
import { leaseOf, readShare, readSnapshot, refuseSnapshot, withLease } from "./shares.ts";
import { LiveView } from "./versions.ts";

/**
 * A file's lease never ends by itself. While it is held, SMB clients can open the file for reading only; to get it,
 * no SMB client may have it open for more. No lease action changes an ETag or a time.
 */
export function leaseFile(
  files: FileService,
  { ref, lease: action }: { readonly ref: PathRef; readonly lease: LeaseAction },
): Promise<LeaseResult> {
  if (ref.snapshot !== undefined) throw new Refusal("ShareSnapshotOperationNotSupported");
  refuseSnapshot(ref);
  return files.change(async (write, admissions) => {
    const share = await readShare(write, ref);
    const inode = await findFile(new LiveView(write), share.id, ref.path);
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
  return files.change(async (write) => {
    const share = await readShare(write, ref);
    const info = ref.snapshot === undefined ? share : await readSnapshot(write, share.id, ref.snapshot);
    const { lease, secondsLeft } = applyLeaseAction(leaseOf(info), action, write.now());
    await putShareState(write, ref, share, (present) => withLease(present, lease));
    return { revision: info.revision, lease, secondsLeft };
  });
}
