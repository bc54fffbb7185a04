import type { Revision } from "../../base/revision.ts";
import type { Writer } from "../../store/kv.ts";
import { type BlobRecord, type ContainerRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import type { BlobRef } from "./names.ts";
import { type SoftDelete } from "./retention.ts";
export interface Place {
    readonly container: ContainerRecord;
    readonly ref: BlobRef;
}
/** A past state at its key. Lease, uncommitted blocks and pending work belong to the present only. */
export declare function putPast(write: Writer, place: Place, at: Revision, record: BlobRecord): void;
/** Deletes a past state softly: it stays at its key until its time is up. */
export declare function softDeletePast(write: Writer, place: Place, at: Revision, record: BlobRecord, { at: now, until }: SoftDelete): void;
/**
 * Puts a new blob in the place of what was there. What becomes of the old state: a version while versioning is
 * on, a soft-deleted snapshot while soft delete is on, otherwise its bytes are given back. Snapshots stay, a
 * lease in force stays, uncommitted blocks go.
 */
export declare function replaceBlob(blobs: BlobService, write: Writer, place: Place, { before, after }: {
    readonly before: BlobRecord | undefined;
    readonly after: BlobRecord;
}): Promise<BlobRecord>;
/**
 * Changes a blob and keeps its bytes: metadata, properties. While versioning is on the state before it becomes a
 * version, which shares the bytes.
 */
export declare function changeBlob(blobs: BlobService, write: Writer, place: Place, { before, after }: {
    readonly before: BlobRecord;
    readonly after: BlobRecord;
}): Promise<BlobRecord>;
