import { type Conditions, type SourceUse } from "../../concurrency/conditions.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import type { BlobRecord, CopyRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { type Found, type Selector } from "./blobs.ts";
import type { BlobRef } from "./names.ts";
import { type BlobProperties, type CreateGuards, type Written } from "./put-blob.ts";
/** A blob of this server as the source of a copy. The address it was named by has lost its signature. */
export interface LocalSource {
    readonly ref: BlobRef;
    readonly selector: Selector;
    readonly shown: string;
    readonly conditions: Conditions;
    readonly keySha256: string | undefined;
}
export interface CopyBlob extends CreateGuards {
    readonly ref: BlobRef;
    readonly source: LocalSource;
    readonly copyId: string;
    /** "sync": Copy Blob From URL, which is for block blobs up to a size and may bring the tags along. */
    readonly mode: "async" | "sync";
    readonly properties: Omit<BlobProperties, "http">;
    readonly copiesTags: boolean;
    readonly priority: "Standard" | "High" | undefined;
    readonly isSealed: boolean | undefined;
}
export interface Copied {
    readonly written: Written;
    readonly copyId: string;
    readonly status: CopyRecord["status"];
}
/**
 * Copy Blob and Copy Blob From URL, from a blob of this server. Both sides are judged and the copy is made in one
 * transaction: the destination shares the bytes of its source, so a copy of any size is there at once.
 */
export declare function copyBlob(blobs: BlobService, request: CopyBlob): Promise<Copied>;
/** The source in the same transaction: what it is at this moment is what is copied. */
export declare function readSource(read: Reader, source: LocalSource, use: SourceUse): Promise<BlobRecord>;
/** A copy may outlast a lease of seconds, so a leased destination must be held without end. */
export declare function checkInfiniteLease(write: Writer, { stored }: Found): void;
/** Abort Copy Blob: what was to be overwritten is gone already; the blob stays, empty. */
export declare function abortCopy(blobs: BlobService, request: Pick<CreateGuards, "leaseId"> & {
    readonly ref: BlobRef;
    readonly copyId: string;
}): Promise<void>;
