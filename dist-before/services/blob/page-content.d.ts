import type { Reader, Writer } from "../../store/kv.ts";
import { type PageRangeEntry } from "../../store/records/blob.ts";
import type { Payloads } from "../payload/payloads.ts";
import { type PageSpan } from "./page-map.ts";
/**
 * The map of a page blob: which pages were written, and where their bytes are. It is cut into segments, each a
 * record with its ranges, so a write touches only the segments it falls into. Pages in no range are zeros.
 *
 * A snapshot costs nothing when it is taken: it holds the present epoch, and the blob goes on in a new one with
 * its next write. A segment's record is kept for each epoch in which it changed; a holder of epoch 7 sees the
 * newest record up to 7:
 *
 *   ("br", content, segment 3, epoch 5)   seen by holders of epochs 5 to 8
 *   ("br", content, segment 3, epoch 9)   seen from 9 on
 *
 * Epochs form one line. Whoever wants to write to another one than the newest (a copy of a snapshot, say) gets
 * a map of its own.
 */
export interface PageContent {
    readonly pages: bigint;
    readonly epoch: bigint;
}
export declare const segmentAt: (offset: number) => number;
/** A map of nothing, with its first reference. */
export declare function putEmptyPages(write: Writer, origins?: readonly PageContent[]): PageContent;
export declare function sharePages(write: Writer, { pages, epoch }: PageContent): Promise<void>;
/** With its last holder an epoch can go; with the last of all, everything. */
export declare function releasePages(write: Writer, { pages, epoch }: PageContent): Promise<void>;
/** A content nobody else looks at, with the same pages: for writing. */
export declare function writablePages(payloads: Payloads, write: Writer, content: PageContent): Promise<PageContent>;
/** Whether the later content has come out of the earlier one by writing alone. */
export declare function hasGrownFrom(read: Reader, later: PageContent, earlier: PageContent): Promise<boolean>;
export interface SeenSegment {
    readonly segment: number;
    /** The epoch of the record: the one asked for, or an older one. */
    readonly epoch: bigint;
    readonly ranges: PageRangeEntry[];
}
/** The segments of a content as its epoch sees them, in order, those that hold nothing included. */
export declare function segmentsIn(read: Reader, { pages, epoch }: PageContent, bounds?: PageSpan): AsyncGenerator<SeenSegment>;
/** Writes slices just appended (and kept) into the map. Each range lies in one segment. */
export declare function putPages(payloads: Payloads, write: Writer, content: PageContent, written: readonly (Omit<PageRangeEntry, "epoch"> & {
    readonly segment: number;
})[]): Promise<void>;
/** Clears pages: only segments that hold something are touched, however long the span. */
export declare function clearPages(payloads: Payloads, write: Writer, content: PageContent, span: PageSpan): Promise<void>;
