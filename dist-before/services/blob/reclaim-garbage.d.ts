import type { Chore } from "../reclaim/chores.ts";
import type { BlobService } from "./blob-service.ts";
/**
 * Takes apart what nobody names any more: the contents of deleted containers, contents without a record, blocks
 * that never made it into a list. Each step is one transaction over a bounded number of records, and what it
 * finds is gone from where the next step looks, so it can stop and start again anywhere.
 */
export declare function reclaimGarbage(blobs: BlobService): Chore;
export declare function reclaimStep(blobs: BlobService): Promise<"more" | "done">;
