import type { BlobService } from "./blob-service.ts";
import type { TagsOfBlob } from "./blob-tags.ts";
export interface SetBlobTier extends TagsOfBlob {
    readonly tier: string;
    readonly priority: "Standard" | "High" | undefined;
}
export declare const PAGE_TIERS: string[];
/**
 * Set Blob Tier. At once between the tiers that are on line; out of the archive it takes its time, and until then
 * the blob says where it is going. "pending": the change has begun (202).
 */
export declare function setBlobTier(blobs: BlobService, request: SetBlobTier): Promise<"done" | "pending">;
