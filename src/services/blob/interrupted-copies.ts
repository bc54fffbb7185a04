import { blobKey } from "../../store/keys/blob.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import { blobRecord } from "../../store/records/blob-bytes.ts";
import { type BlobCopyTarget, pendingBlobCopy } from "../../store/records/copies.ts";
import type { BackgroundJob } from "../reclaim/background-jobs.ts";
import { interruptedCopies } from "../reclaim/interrupted-copies.ts";
import type { BlobContext } from "./context.ts";

/** Ends the pending copies of processes that have ended. */
export function interruptedBlobCopies(blobs: BlobContext): BackgroundJob {
  return interruptedCopies(blobs, {
    service: "blob",
    record: pendingBlobCopy,
    isPending: async (read, target, copyId) => (await findPending(read, target, copyId)) !== undefined,
    fail: failPendingCopy,
  });
}

/** Marks a pending copy as failed; the destination stays empty and reports the reason. */
export async function failPendingCopy(
  write: Writer,
  target: BlobCopyTarget,
  copyId: string,
  description: string,
): Promise<void> {
  const record = await findPending(write, target, copyId);
  if (record === undefined) return;
  const copy = { ...record.copy!, status: "failed" as const, description, completedAt: write.now() };
  const after = { ...record, copy, revision: write.revision(record.revision) };
  write.put(blobKey(target.container, target.blob), blobRecord.pack(after));
}

/** Found by the container's id, so that a copy into a soft-deleted container ends, too. */
async function findPending(
  read: Reader,
  { container, blob }: BlobCopyTarget,
  copyId: string,
): Promise<BlobRecord | undefined> {
  const stored = await read.get(blobKey(container, blob));
  const record = stored && blobRecord.unpack(stored);
  return record?.copy?.id === copyId && record.copy.status === "pending" ? record : undefined;
}
