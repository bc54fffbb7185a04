import type { SeenBlob } from "../../services/blob/get-blob.ts";
import type { BlobKind } from "../../services/blob/records.ts";
/** A blob in the headers of Get Blob and Get Blob Properties. */
export declare const BLOB_TYPES: Readonly<Record<BlobKind, string>>;
type Out = Record<string, string | undefined>;
/** What both have. Built field by field: this is the way of every download. */
export declare function blobHeaders({ record, isCurrent, now }: SeenBlob): Out;
/** What only Get Blob Properties tells. */
export declare function propertyHeaders({ record }: SeenBlob): Out;
export {};
