import type { Writer } from "../../store/kv.ts";
import { type PageRangeEntry } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
/**
 * An epoch of a page blob has lost its last holder (its snapshot was deleted, say). A segment's record that no
 * held epoch sees goes: it is newer than the held epoch below, and a newer record hides it from the held epoch
 * above. Returns the segment to go on with, or undefined at the end.
 */
export declare function pruneEpoch(blobs: BlobService, write: Writer, { id, epoch, from }: {
    readonly id: bigint;
    readonly epoch: bigint;
    readonly from: number;
}): Promise<number | undefined>;
export declare function dropRanges(blobs: BlobService, write: Writer, ranges: readonly PageRangeEntry[]): Promise<void>;
