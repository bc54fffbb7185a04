import type { Revision } from "../../base/revision.ts";
import type { Writer } from "../../store/kv.ts";
import { type RangeRecord, type ShareRecord } from "../../store/records/file.ts";
import { type Content } from "../payload/content.ts";
import type { Payloads } from "../payload/payloads.ts";
/**
 * The content of a file is a sparse map: a record for each written range, ordered by offset, none overlapping
 * another, and nothing for what was never written or was cleared. A write cuts what it overlaps and puts one
 * record; what it does not touch it does not read. Neighbours that lie in their records join while they are small,
 * so that a file written in tiny steps is not a record for each step.
 *
 * All of it happens in the caller's transaction, so a reader sees each write whole or not at all.
 */
export interface RangeWriter {
    readonly write: Writer;
    readonly payloads: Payloads;
    readonly share: ShareRecord;
    /** The id of the content, of one file at one time. */
    readonly content: bigint;
    /** The revision of this change. */
    readonly since: Revision;
}
/** Content that was taken in, as a range. */
export declare function rangeOf(content: Content): RangeRecord;
/** Puts bytes at an offset. `content` has been kept by the caller, or lies in the record. */
export declare function putBytes(at: RangeWriter, offset: number, content: Content): Promise<void>;
/** Makes a hole: what was written there reads as zero and takes no space. */
export declare function clearBytes(at: RangeWriter, from: number, to: number): Promise<void>;
/**
 * Put Range with x-ms-write: clear. Whole units of 512 bytes are freed; what remains at the two edges is
 * overwritten with zeros.
 */
export declare function clearRange(at: RangeWriter, from: number, to: number): Promise<void>;
/** Puts a record where nothing is yet: into content that was made by this or an earlier step of the same copy. */
export declare function putRecord(at: RangeWriter, offset: number, record: RangeRecord): void;
/** Nobody will read this content any more, snapshots apart: the reclaimer takes it apart in steps. */
export declare function discardContent(write: Writer, share: ShareRecord, content: bigint): void;
