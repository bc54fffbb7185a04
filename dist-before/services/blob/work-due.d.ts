import type { Chore } from "../reclaim/chores.ts";
import type { BlobService } from "./blob-service.ts";
/**
 * What becomes due by itself: blocks nobody committed for a week, soft-deleted things whose time is up, blobs
 * past their expiry. Reminders lie in the order of their time; each is looked at once, and what it says is
 * checked against what is there now, since much may have happened since it was written.
 */
export declare function workDue(blobs: BlobService): Chore;
export declare function workDueStep(blobs: BlobService): Promise<"more" | "done">;
