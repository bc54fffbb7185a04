import type { BlobHttpHeaders, BlobRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { type BlobGuards } from "./blobs.ts";
import type { BlobRef } from "./names.ts";
import { type EncryptionWish, type Written } from "./put-blob.ts";
/** Changes of a blob that leave its content alone. Any of them ends what is told of a copy. */
export interface ChangeBlob extends BlobGuards {
    readonly ref: BlobRef;
}
/** Set Blob Metadata replaces all of it. */
export declare function setBlobMetadata(blobs: BlobService, request: ChangeBlob & {
    readonly metadata: Readonly<Record<string, string>>;
    readonly encryption: EncryptionWish;
}): Promise<Written>;
/** Set Blob Properties: all six headers together, those not given are cleared. */
export declare function setHttpHeaders(blobs: BlobService, request: ChangeBlob & {
    readonly http: BlobHttpHeaders;
}): Promise<Written & {
    readonly record: BlobRecord;
}>;
type Changed = Omit<BlobRecord, "revision"> & {
    readonly revision?: unknown;
};
/** One change of a blob's record, guarded and with a new revision. */
export declare function change(blobs: BlobService, request: ChangeBlob, edit: (record: BlobRecord) => Changed): Promise<Written & {
    readonly record: BlobRecord;
}>;
export {};
