import type { BlobService } from "./blob-service.ts";
import { type Copied, type LocalSource } from "./copy-blob.ts";
import type { ChangeBlob } from "./set-blob-properties.ts";
export interface CopyIncremental extends ChangeBlob {
    readonly source: LocalSource;
    readonly copyId: string;
}
/**
 * Incremental Copy Blob: a snapshot of a page blob becomes a snapshot of the destination. Both share the map of
 * pages, so what is copied is only what is new, and differences between the snapshots of the destination are
 * those between the snapshots of the source. Each copy must be of a later snapshot of the same blob.
 */
export declare function copyIncremental(blobs: BlobService, request: CopyIncremental): Promise<Copied>;
