import type { BlobHttpHeaders, BlobRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { type EncryptionWish, type Written } from "./put-blob.ts";
import type { ChangeBlob } from "./set-blob-properties.ts";
export type SequenceAction = {
    readonly action: "max" | "update";
    readonly number: bigint;
} | {
    readonly action: "increment";
};
export interface SetPageProperties extends ChangeBlob {
    /** Undefined: left as they are. */
    readonly http: BlobHttpHeaders | undefined;
    readonly length: number | undefined;
    readonly sequence: SequenceAction | undefined;
    readonly encryption: EncryptionWish;
}
/** Set Blob Properties of a page blob: its length, its sequence number, and the headers as of any blob. */
export declare function setPageProperties(blobs: BlobService, request: SetPageProperties): Promise<Written & {
    readonly record: BlobRecord;
}>;
