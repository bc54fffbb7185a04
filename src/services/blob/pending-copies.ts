import { blobKey } from "../../store/keys/blob.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import { blobRecord } from "../../store/records/blob-bytes.ts";
import { type BlobCopyTarget, pendingBlobCopy } from "../../store/records/copies.ts";
import type { BackgroundJob } from "../reclaim/background-jobs.ts";
import { interruptedCopies } from "../reclaim/interrupted-copies.ts";
import type { BlobService } from "./blob-service.ts";

/** Ends the copies of processes that are gone. */
export function blobCopies(blobs: BlobService): BackgroundJob {
  return interruptedCopies(blobs.parts, {
    service: "blob",
    record: pendingBlobCopy,
    isPending: async (read, target, copyId) => (await findPending(read, target, copyId)) !== undefined,
    fail: failPendingCopy,
  });
}

/** A copy that nobody finishes any more: the destination stays, empty, and says why. */
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

/** By the container's id: a copy into a container that was deleted softly ends there, too. */
async function findPending(
  read: Reader,
  { container, blob }: BlobCopyTarget,
  copyId: string,
): Promise<BlobRecord | undefined> {
  const stored = await read.get(blobKey(container, blob));
  const record = stored && blobRecord.unpack(stored);
  return record?.copy?.id === copyId && record.copy.status === "pending" ? record : undefined;
}
