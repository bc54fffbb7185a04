import { checkMutability } from "../../concurrency/immutability.ts";
import { blobKey, deletedContainerKey, dueBy, stagingKey, versionKey } from "../../store/keys/blob.ts";
import type { Key, Writer } from "../../store/kv.ts";
import {
  type BlobRecord,
  containerRecord,
  type DueRecord,
  dueRecord,
  stagingRecord,
} from "../../store/records/blob.ts";
import { blobRecord } from "../../store/records/blob-bytes.ts";
import type { BackgroundJob } from "../reclaim/background-jobs.ts";
import { releaseBlobContent } from "./content.ts";
import type { BlobContext } from "./context.ts";
import { indexImmutability } from "./immutability-index.ts";
import { failPendingCopy } from "./interrupted-copies.ts";
import { BLOB_LIMITS } from "./limits.ts";
import { discard, scheduleDeadline } from "./retention.ts";
import { removeTags } from "./tag-index.ts";

/**
 * Processes deadlines in the order of their time: blocks left uncommitted for a week, the end of a soft
 * delete's retention, the expiry of blobs. Each deadline is processed once and compared with the current
 * records, because the object may have changed since it was scheduled.
 */
export function deadlineJob(blobs: BlobContext): BackgroundJob {
  return { name: "blob-due", interval: BLOB_LIMITS.dueJobMillis, run: () => processDeadlines(blobs) };
}

async function processDeadlines(blobs: BlobContext): Promise<"more" | "done"> {
  const limit = BLOB_LIMITS.dueRecordsPerStep;
  const due = await blobs.store.read((read) => read.take(dueBy(read.now()), limit));
  if (due.length === 0) return "done";
  await blobs.store.write(async (write) => {
    for (const { key, value } of due) {
      if ((await write.get(key)) === undefined) continue;
      write.delete(key);
      await processDeadline(blobs, write, dueRecord.unpack(value));
    }
  });
  return due.length < limit ? "done" : "more";
}

const OVERDUE = '500 OperationCancelled "Copy exceeded the maximum allowed time."';

async function processDeadline(blobs: BlobContext, write: Writer, due: DueRecord): Promise<void> {
  const { payloads } = blobs;
  switch (due.what) {
    case "staging":
      return expireStaging(write, due.id);
    case "prepared": {
      // The process that prepared it is gone, or finds this deadline missing and does not commit.
      const { id, epoch } = due;
      return releaseBlobContent(payloads, write, epoch === undefined ? { blocks: id } : { pages: id, epoch });
    }
    case "past": {
      const key = versionKey(due.container, due.blob, due.revision);
      const record = await readBlobRecord(write, key);
      // Undeleted, or deleted again later with another deadline.
      if (record?.deleted === undefined || record.deleted.until > write.now()) return;
      write.delete(key);
      indexImmutability(write, { ...due, at: due.revision }, record, undefined);
      return releaseBlobContent(payloads, write, record.content);
    }
    case "container": {
      const { account } = due;
      const key = deletedContainerKey(account, due.container, due.deletion);
      const stored = await write.get(key);
      if (stored === undefined) return;
      write.delete(key);
      return discard(write, { what: "container", id: containerRecord.unpack(stored).id, account });
    }
    case "expiry": {
      const key = blobKey(due.container, due.blob);
      const record = await readBlobRecord(write, key);
      if (record?.expiresAt === undefined || record.expiresAt > write.now()) return;
      if (checkMutability(record, write.now()) !== undefined) {
        // A policy or a hold protects the blob beyond its expiry: try again later.
        scheduleDeadline(write, write.now() + BLOB_LIMITS.protectedExpiryMillis, due);
        return;
      }
      if (record.staging !== undefined) discard(write, { what: "staging", id: record.staging });
      write.delete(key);
      removeTags(write, due, record);
      indexImmutability(write, due, record, undefined);
      return releaseBlobContent(payloads, write, record.content);
    }
    case "copy":
      return failPendingCopy(write, due, due.copyId, OVERDUE);
    case "rehydrate":
      return;
  }
}

async function readBlobRecord(write: Writer, key: Key): Promise<BlobRecord | undefined> {
  const stored = await write.get(key);
  return stored && blobRecord.unpack(stored);
}

/** A week after the last block, not the first: while blocks arrive, the deadline moves. */
async function expireStaging(write: Writer, id: bigint): Promise<void> {
  const stored = await write.get(stagingKey(id));
  if (stored === undefined) return;
  const staging = stagingRecord.unpack(stored);
  const end = staging.lastAt + BLOB_LIMITS.uncommittedBlockMillis;
  if (end > write.now()) {
    scheduleDeadline(write, end, { what: "staging", id });
    return;
  }
  const key = blobKey(staging.container, staging.blob);
  const record = await readBlobRecord(write, key);
  if (record?.staging !== id) return;
  const { staging: _, ...rest } = record;
  // A blob of uncommitted blocks only is deleted with them.
  if (record.isUncommitted === true) write.delete(key);
  else write.put(key, blobRecord.pack(rest));
  discard(write, { what: "staging", id });
}
