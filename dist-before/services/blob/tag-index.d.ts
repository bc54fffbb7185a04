import type { Writer } from "../../store/kv.ts";
import { type BlobRecord, type ContainerRecord } from "../../store/records/blob.ts";
import type { BlobRef } from "./names.ts";
type Tagged = Pick<BlobRecord, "tags"> | undefined;
/**
 * The tag index: an entry for each tag of each blob's present state, written and removed in the transaction that
 * changes the blob. Azure's own index lags behind; this one cannot.
 */
export declare function indexTags(write: Writer, { container, ref }: {
    readonly container: Pick<ContainerRecord, "id">;
    readonly ref: BlobRef;
}, before: Tagged, after: Tagged): void;
/** The blob is gone, and its container may be, too. */
export declare function dropTags(write: Writer, place: {
    readonly account: string;
    readonly container: bigint;
    readonly blob: string;
}, record: Tagged): void;
export {};
