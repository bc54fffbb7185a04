import { pastKey } from "../../store/keys/blob.js";
import { blobRecord } from "../../store/records/blob.js";
import { putBlobRecord, withLeaseAfterWrite } from "./blobs.js";
import { releaseBlobContent, shareBlobContent } from "./content.js";
import { discard, readSoftDelete, remind } from "./retention.js";
/** A past state at its key. Lease, uncommitted blocks and pending work belong to the present only. */
export function putPast(write, place, at, record) {
    const { lease: _, staging: __, ...kept } = record;
    write.put(pastKey(place.container.id, place.ref.blob, at), blobRecord.pack(kept));
}
/** Deletes a past state softly: it stays at its key until its time is up. */
export function softDeletePast(write, place, at, record, { at: now, until }) {
    putPast(write, place, at, { ...record, deleted: { at: now, until } });
    remind(write, until, { what: "past", container: place.container.id, blob: place.ref.blob, revision: at });
}
/**
 * Puts a new blob in the place of what was there. What becomes of the old state: a version while versioning is
 * on, a soft-deleted snapshot while soft delete is on, otherwise its bytes are given back. Snapshots stay, a
 * lease in force stays, uncommitted blocks go.
 */
export async function replaceBlob(blobs, write, place, { before, after }) {
    if (before !== undefined) {
        if (before.staging !== undefined)
            discard(write, { what: "staging", id: before.staging });
        if (before.isUncommitted !== true)
            await retire(blobs, write, place, before);
    }
    const written = withLeaseAfterWrite(versioned(blobs, after), before, write.now());
    putBlobRecord(write, place, before, written);
    return written;
}
function versioned(blobs, record) {
    if (blobs.isVersioned)
        return { ...record, version: record.revision };
    if (record.version === undefined)
        return record;
    const { version: _, ...rest } = record;
    return rest;
}
/** The old state of a blob that is overwritten. Its content moves with it, or is given back. */
async function retire(blobs, write, place, before) {
    if (blobs.isVersioned) {
        const version = before.version ?? before.revision;
        putPast(write, place, version, { ...before, version, past: "version" });
        return;
    }
    const softDelete = await readSoftDelete(write, place.ref.account);
    if (softDelete === undefined) {
        await releaseBlobContent(blobs.parts.payloads, write, before.content);
        return;
    }
    const snapshot = write.revision(before.revision);
    softDeletePast(write, place, snapshot, { ...before, past: "snapshot" }, softDelete);
}
/**
 * Changes a blob and keeps its bytes: metadata, properties. While versioning is on the state before it becomes a
 * version, which shares the bytes.
 */
export async function changeBlob(blobs, write, place, { before, after }) {
    if (blobs.isVersioned) {
        const version = before.version ?? before.revision;
        await shareBlobContent(blobs.parts.payloads, write, before.content);
        putPast(write, place, version, { ...before, version, past: "version" });
    }
    const written = withLeaseAfterWrite(versioned(blobs, after), before, write.now());
    putBlobRecord(write, place, before, written);
    return written;
}
