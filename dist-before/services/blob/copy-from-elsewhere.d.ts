import type { BlobKind } from "../../store/records/blob.ts";
import type { PayloadSource } from "../payload/payloads.ts";
import type { BlobService } from "./blob-service.ts";
import { type Copied } from "./copy-blob.ts";
import type { BlobRef } from "./names.ts";
import { type BlobProperties, type CreateGuards } from "./put-blob.ts";
export interface CopyFromElsewhere extends CreateGuards {
    readonly ref: BlobRef;
    readonly copyId: string;
    readonly source: {
        readonly kind: BlobKind;
        readonly shown: string;
        /** What it says it will be. */
        readonly length: number;
    };
    readonly properties: BlobProperties;
}
/**
 * Copy Blob from another server, in two steps, since the bytes take their time. The first makes the destination:
 * empty, and closed to writers while the copy is pending. The second puts the bytes in, if the copy is still
 * wanted then: it may have been aborted.
 */
export declare function beginCopy(blobs: BlobService, request: CopyFromElsewhere): Promise<Copied>;
/** The bytes of a copy that was begun. Without an answer when nobody waits for it any more. */
export declare function finishCopy(blobs: BlobService, { ref, copyId }: Pick<CopyFromElsewhere, "ref" | "copyId">, body: PayloadSource, md5: () => string | undefined): Promise<Copied | undefined>;
/** The source could not be read to its end: the destination stays, empty, and says why. */
export declare function failCopy(blobs: BlobService, { ref, copyId }: Pick<CopyFromElsewhere, "ref" | "copyId">, description: string): Promise<void>;
