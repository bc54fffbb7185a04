import type { PayloadSource } from "../payload/payloads.ts";
import type { BlobService } from "./blob-service.ts";
import type { BlobRef } from "./names.ts";
import { type EncryptionWish } from "./put-blob.ts";
export interface PutBlock {
    readonly ref: BlobRef;
    readonly leaseId: string | undefined;
    /** Base64 as sent, and the length of what it says. */
    readonly blockId: string;
    readonly blockIdBytes: number;
    readonly encryption: EncryptionWish;
    readonly body: PayloadSource;
    readonly length: number | undefined;
    /** False for a SAS that may create and not write. */
    readonly mayOverwrite: boolean;
}
/**
 * Put Block: bytes that wait for a block list. They belong to the blob's staging, which begins with the first
 * block and ends with the next Put Block List, Put Blob or deletion, or a week after the last block. A blob that
 * did not exist is there from now on for blocks and leases only.
 */
export declare function putBlock(blobs: BlobService, request: PutBlock): Promise<void>;
