import { Refusal } from "../../base/refusals.js";
import { checkWrite } from "../../concurrency/conditions.js";
import { checkMutability } from "../../concurrency/immutability.js";
import { AVAILABLE, checkLeaseRead, checkLeaseWrite, leaseAfterWrite } from "../../concurrency/lease.js";
import { blobKey, pastKey } from "../../store/keys/blob.js";
import { blobRecord } from "../../store/records/blob.js";
import { leaseOf, readContainer, throwIf, withLease } from "./containers.js";
import { indexTags } from "./tag-index.js";
export async function findBlob(read, ref) {
    const container = await readContainer(read, ref);
    const bytes = await read.get(blobKey(container.id, ref.blob));
    if (bytes === undefined)
        return { container, stored: undefined, blob: undefined };
    const stored = settled(blobRecord.unpack(bytes), read.now());
    const isVisible = isThere(stored, read.now());
    if (isVisible)
        return { container, stored, blob: stored };
    // A lease ends with the blob it was on, also when the blob went by its expiry.
    const left = stored.isUncommitted === true ? stored : withLease(stored, AVAILABLE);
    return { container, stored: left, blob: undefined };
}
/** Only uncommitted blocks, or past its expiry: not there for anyone who asks for a blob. */
export function isThere(record, now) {
    if (record === undefined || record.isUncommitted === true)
        return false;
    return record.expiresAt === undefined || record.expiresAt > now;
}
/** What time alone has changed: a blob on its way out of the archive has arrived. */
export function settled(record, now) {
    if (record.rehydrate === undefined || record.rehydrate.doneAt > now)
        return record;
    const { rehydrate, ...rest } = record;
    return { ...rest, tier: rehydrate.to, tierChangedAt: rehydrate.doneAt };
}
/** A state of the blob for reading. Throws BlobNotFound. */
export async function readState(read, ref, selector) {
    const { snapshot, version } = selector;
    const { container, blob } = await findBlob(read, ref);
    if (snapshot === undefined && version === undefined) {
        if (blob === undefined)
            throw new Refusal("BlobNotFound");
        return { container, record: blob, isCurrent: true };
    }
    if (version !== undefined && blob?.version === version)
        return { container, record: blob, isCurrent: true };
    const bytes = await read.get(pastKey(container.id, ref.blob, snapshot ?? version));
    const record = bytes === undefined ? undefined : settled(blobRecord.unpack(bytes), read.now());
    const wanted = snapshot === undefined ? "version" : "snapshot";
    if (record?.past !== wanted || record.deleted !== undefined)
        throw new Refusal("BlobNotFound");
    return { container, record, isCurrent: false };
}
/** On reads an id is a condition; a snapshot or a version has no lease of its own. */
export function checkReadLease(read, { record, isCurrent }, leaseId) {
    if (leaseId === undefined)
        return;
    throwIf(checkLeaseRead(isCurrent ? leaseOf(record) : { state: "available" }, leaseId, read.now(), "Blob"));
}
/**
 * Whether a write may go ahead, in the order clients have come to rely on: the lease, then existence, then the
 * conditions, then the state the blob is in. A leased blob answers LeaseIdMissing even to "If-None-Match: *".
 */
export function checkBlobWrite(write, { stored, blob }, guards, kind) {
    if (kind === "change" && blob === undefined)
        throw new Refusal("BlobNotFound");
    throwIf(checkLeaseWrite(stored === undefined ? leaseOf({}) : leaseOf(stored), guards.leaseId, write.now(), "Blob"));
    throwIf(checkWrite(guards.conditions, blob, kind));
    if (blob !== undefined)
        checkChangeable(blob, write.now());
}
/** A change of content, metadata or properties; deleting and tiering have their own rules. */
export function checkChangeable(blob, now) {
    if (blob.copy?.status === "pending")
        throw new Refusal("PendingCopyOperation");
    checkMutable(blob, now);
    if (blob.rehydrate !== undefined)
        throw new Refusal("BlobBeingRehydrated");
    if (blob.tier === "Archive")
        throw new Refusal("BlobArchived");
}
export function checkMutable(blob, now) {
    throwIf(checkMutability(blob, now));
}
/**
 * The one way a blob's present record is written: whatever must follow a blob's record around (an index over its
 * tags, say) belongs here. `before` is what the key held.
 */
export function putBlobRecord(write, place, before, after) {
    if (before?.tags !== undefined || after?.tags !== undefined)
        indexTags(write, place, before, after);
    const key = blobKey(place.container.id, place.ref.blob);
    if (after === undefined)
        write.delete(key);
    else
        write.put(key, blobRecord.pack(after));
}
/** The lease a written blob carries on: one in force, or none. */
export function withLeaseAfterWrite(record, before, now) {
    return before?.lease === undefined ? record : withLease(record, leaseAfterWrite(before.lease, now));
}
