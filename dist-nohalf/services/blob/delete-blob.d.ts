import type { Revision } from "../../base/revision.ts";
import type { Writer } from "../../store/kv.ts";
import { type BlobRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { type BlobGuards, type Selector } from "./blobs.ts";
import type { BlobRef } from "./names.ts";
import { type Place } from "./replace-blob.ts";
export interface DeleteBlob extends BlobGuards {
    readonly ref: BlobRef;
    readonly selector: Selector;
    readonly snapshots: "include" | "only" | undefined;
    readonly isPermanent: boolean;
}
/** Whether what was deleted is gone for good: x-ms-delete-type-permanent. */
export interface Deleted {
    readonly isPermanent: boolean;
}
/** Delete Blob: the blob with or without its snapshots, only its snapshots, or one state of its past. */
export declare function deleteBlob(blobs: BlobService, request: DeleteBlob): Promise<Deleted>;
export interface PastState {
    readonly at: Revision;
    readonly record: BlobRecord;
}
/** Everything the blob was, oldest first. */
export declare function pastOf(write: Writer, { container, ref }: Place): Promise<PastState[]>;
