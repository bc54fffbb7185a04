import type { Instant } from "../../base/clock.ts";
import type { BlobService } from "./blob-service.ts";
import { type Written } from "./put-blob.ts";
import type { ChangeBlob } from "./set-blob-properties.ts";
export type ExpiryWish = {
    readonly option: "NeverExpire";
} | {
    readonly option: "RelativeToCreation" | "RelativeToNow";
    readonly millis: number;
} | {
    readonly option: "Absolute";
    readonly at: Instant;
};
/** Set Blob Expiry: from then on nobody finds the blob, and the reclaimer takes it away. */
export declare function setBlobExpiry(blobs: BlobService, request: ChangeBlob & {
    readonly expiry: ExpiryWish;
}): Promise<Written>;
