import { type AppendConditions } from "../../concurrency/conditions.ts";
import type { PayloadSource } from "../payload/payloads.ts";
import type { BlobService } from "./blob-service.ts";
import { type EncryptionWish, type Written } from "./put-blob.ts";
import type { ChangeBlob } from "./set-blob-properties.ts";
export interface AppendBlock extends ChangeBlob {
    readonly append: AppendConditions;
    readonly encryption: EncryptionWish;
    readonly body: PayloadSource;
}
export interface Appended extends Written {
    /** Where the block begins, and how many there are with it. */
    readonly offset: number;
    readonly blockCount: number;
}
/**
 * Append Block. The bytes come in first; where they land is decided in the transaction, so each of many parallel
 * appends gets an offset and a count of its own, in the order in which they are committed.
 */
export declare function appendBlock(blobs: BlobService, request: AppendBlock): Promise<Appended>;
/** Append Blob Seal: from now on its content stays as it is. Sealing what is sealed changes nothing. */
export declare function sealBlob(blobs: BlobService, request: ChangeBlob & {
    readonly append: AppendConditions;
}): Promise<Written>;
