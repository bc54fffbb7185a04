import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { blobKey, deletedContainerKey, dueBy, pastKey, stagingKey } from "../../store/keys/blob.js";
import { blobRecord, containerRecord, dueRecord, stagingRecord, } from "../../store/records/blob.js";
import { releaseBlobContent } from "./content.js";
import { discard, remind } from "./retention.js";
import { dropTags } from "./tag-index.js";
/**
 * What becomes due by itself: blocks nobody committed for a week, soft-deleted things whose time is up, blobs
 * past their expiry. Reminders lie in the order of their time; each is looked at once, and what it says is
 * checked against what is there now, since much may have happened since it was written.
 */
export function workDue(blobs) {
    return { name: "blob-due", interval: BLOB_LIMITS.dueChoreMillis, run: () => workDueStep(blobs) };
}
export async function workDueStep(blobs) {
    const limit = BLOB_LIMITS.dueRecordsPerStep;
    const due = await blobs.parts.store.read(async (read) => {
        const found = [];
        for await (const entry of read.range({ ...dueBy(read.now()), limit }))
            found.push(entry);
        return found;
    });
    if (due.length === 0)
        return "done";
    await blobs.parts.store.write(async (write) => {
        for (const { key, value } of due) {
            if ((await write.get(key)) === undefined)
                continue;
            write.delete(key);
            await attend(blobs, write, dueRecord.unpack(value));
        }
    });
    return due.length < limit ? "done" : "more";
}
async function attend(blobs, write, due) {
    switch (due.what) {
        case "staging":
            return expireStaging(write, due.id);
        case "past": {
            const key = pastKey(due.container, due.blob, due.revision);
            const stored = await write.get(key);
            const record = stored && blobRecord.unpack(stored);
            // Had back, or deleted again later: another reminder is on its way.
            if (record?.deleted === undefined || record.deleted.until > write.now())
                return;
            write.delete(key);
            return releaseBlobContent(blobs.parts.payloads, write, record.content);
        }
        case "container": {
            const key = deletedContainerKey(due.account, due.container, due.deletion);
            const stored = await write.get(key);
            if (stored === undefined)
                return;
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
            if (record?.expiresAt === undefined || record.expiresAt > write.now())
                return;
            if (record.staging !== undefined)
                discard(write, { what: "staging", id: record.staging });
            write.delete(key);
            dropTags(write, due, record);
            return releaseBlobContent(blobs.parts.payloads, write, record.content);
        }
        case "copy":
            return expireCopy(write, due);
        case "rehydrate":
            return;
    }
}
/** Two weeks are enough for any copy; whoever made it is gone. */
async function expireCopy(write, { container, blob, copyId }) {
    const key = blobKey(container, blob);
    const stored = await write.get(key);
    const record = stored && blobRecord.unpack(stored);
    if (record?.copy?.id !== copyId || record.copy.status !== "pending")
        return;
    const description = '500 OperationCancelled "Copy exceeded the maximum allowed time."';
    const copy = { ...record.copy, status: "failed", description, completedAt: write.now() };
    write.put(key, blobRecord.pack({ ...record, copy, revision: write.revision(record.revision) }));
}
/** A week after the last block, not the first: as long as blocks arrive, the reminder is set again. */
async function expireStaging(write, id) {
    const stored = await write.get(stagingKey(id));
    if (stored === undefined)
        return;
    const staging = stagingRecord.unpack(stored);
    const end = staging.lastAt + BLOB_LIMITS.uncommittedBlockMillis;
    if (end > write.now()) {
        remind(write, end, { what: "staging", id });
        return;
    }
    const key = blobKey(staging.container, staging.blob);
    const bytes = await write.get(key);
    const record = bytes && blobRecord.unpack(bytes);
    if (record?.staging !== id)
        return;
    const { staging: _, ...rest } = record;
    // A blob that was nothing but uncommitted blocks goes with them.
    if (record.isUncommitted === true)
        write.delete(key);
    else
        write.put(key, blobRecord.pack(rest));
    discard(write, { what: "staging", id });
}
