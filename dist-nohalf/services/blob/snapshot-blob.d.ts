import type { Revision } from "../../base/revision.ts";
import type { BlobService } from "./blob-service.ts";
import type { ChangeBlob } from "./set-blob-properties.ts";
export interface SnapshotTaken {
    readonly snapshot: Revision;
    readonly revision: Revision;
    readonly version: Revision | undefined;
}
/**
 * Snapshot Blob: a past state that shares the bytes of the present one. It needs no lease id, and carries no
 * lease. With metadata of its own it has an ETag of its own; otherwise the one of the blob.
 */
export declare function snapshotBlob(blobs: BlobService, request: ChangeBlob & {
    readonly metadata: Readonly<Record<string, string>>;
    readonly keySha256: string | undefined;
}): Promise<SnapshotTaken>;
