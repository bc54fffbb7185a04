import { checkMutability } from "../../concurrency/immutability.ts";
import { blobKey, deletedContainerKey, dueBy, stagingKey, versionKey } from "../../store/keys/blob.ts";
import type { Entry, Writer } from "../../store/kv.ts";
import { containerRecord, type DueRecord, dueRecord, stagingRecord } from "../../store/records/blob.ts";
import { blobRecord } from "../../store/records/blob-bytes.ts";
import type { BackgroundJob } from "../reclaim/background-jobs.ts";
import type { BlobService } from "./blob-service.ts";
import { releaseBlobContent } from "./content.ts";
import { indexGuard } from "./guard-index.ts";
import { BLOB_LIMITS } from "./limits.ts";
import { failPendingCopy } from "./pending-copies.ts";
import { discard, remind } from "./retention.ts";
import { dropTags } from "./tag-index.ts";

/**
 * What becomes due by itself: blocks nobody committed for a week, soft-deleted things whose time is up, blobs
 * past their expiry. Reminders lie in the order of their time; each is looked at once, and what it says is
 * checked against what is there now, since much may have happened since it was written.
 */
export function workDue(blobs: BlobService): BackgroundJob {
  return { name: "blob-due", interval: BLOB_LIMITS.dueJobMillis, run: () => workDueStep(blobs) };
}

export async function workDueStep(blobs: BlobService): Promise<"more" | "done"> {
  const limit = BLOB_LIMITS.dueRecordsPerStep;
  const due = await blobs.parts.store.read(async (read) => {
    const found: Entry[] = [];
    for await (const entry of read.range({ ...dueBy(read.now()), limit })) found.push(entry);
    return found;
  });
  if (due.length === 0) return "done";
  await blobs.parts.store.write(async (write) => {
    for (const { key, value } of due) {
      if ((await write.get(key)) === undefined) continue;
      write.delete(key);
      await attend(blobs, write, dueRecord.unpack(value));
    }
  });
  return due.length < limit ? "done" : "more";
}

const OVERDUE = '500 OperationCancelled "Copy exceeded the maximum allowed time."';

async function attend(blobs: BlobService, write: Writer, due: DueRecord): Promise<void> {
  switch (due.what) {
    case "staging":
      return expireStaging(write, due.id);
    case "prepared":
      // Whoever made it ready is gone, or will find this taken away and not commit it.
      return releaseBlobContent(
        blobs.parts.payloads,
        write,
        due.epoch === undefined ? { blocks: due.id } : { pages: due.id, epoch: due.epoch },
      );
    case "past": {
      const key = versionKey(due.container, due.blob, due.revision);
      const stored = await write.get(key);
      const record = stored && blobRecord.unpack(stored);
      // Had back, or deleted again later: another reminder is on its way.
      if (record?.deleted === undefined || record.deleted.until > write.now()) return;
      write.delete(key);
      indexGuard(write, { ...due, at: due.revision }, record, undefined);
      return releaseBlobContent(blobs.parts.payloads, write, record.content);
    }
    case "container": {
      const key = deletedContainerKey(due.account, due.container, due.deletion);
      const stored = await write.get(key);
      if (stored === undefined) return;
      write.delete(key);
      return discard(write, {
        what: "container",
        id: containerRecord.unpack(stored).id,
        account: due.account,
      });
    }
    case "expiry": {
      const key = blobKey(due.container, due.blob);
      const stored = await write.get(key);
      const record = stored && blobRecord.unpack(stored);
      if (record?.expiresAt === undefined || record.expiresAt > write.now()) return;
      if (checkMutability(record, write.now()) !== undefined) {
        // Held beyond its expiry: looked at again when the policy may have ended.
        remind(write, write.now() + BLOB_LIMITS.heldExpiryMillis, due);
        return;
      }
      if (record.staging !== undefined) discard(write, { what: "staging", id: record.staging });
      write.delete(key);
      dropTags(write, due, record);
      indexGuard(write, due, record, undefined);
      return releaseBlobContent(blobs.parts.payloads, write, record.content);
    }
    case "copy":
      // Two weeks are enough for any copy.
      return failPendingCopy(write, due, due.copyId, OVERDUE);
    case "rehydrate":
      return;
  }
}

/** A week after the last block, not the first: as long as blocks arrive, the reminder is set again. */
async function expireStaging(write: Writer, id: bigint): Promise<void> {
  const stored = await write.get(stagingKey(id));
  if (stored === undefined) return;
  const staging = stagingRecord.unpack(stored);
  const end = staging.lastAt + BLOB_LIMITS.uncommittedBlockMillis;
  if (end > write.now()) {
    remind(write, end, { what: "staging", id });
    return;
  }
  const key = blobKey(staging.container, staging.blob);
  const bytes = await write.get(key);
  const record = bytes && blobRecord.unpack(bytes);
  if (record?.staging !== id) return;
  const { staging: _, ...rest } = record;
  // A blob that was nothing but uncommitted blocks goes with them.
  if (record.isUncommitted === true) write.delete(key);
  else write.put(key, blobRecord.pack(rest));
  discard(write, { what: "staging", id });
}
