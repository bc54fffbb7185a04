import type { Instant } from "../base/clock.ts";
import type { RefusalCode } from "../base/refusals.ts";
import { type Revision } from "../base/revision.ts";
import { type EtagMatch } from "./etag.ts";
import { type TagPredicate, type Tags } from "./tag-predicate.ts";
/**
 * Conditions: "do it only if nobody has been here since". A client that read an object sends the ETag (or the
 * date) it saw; the operation goes ahead only while the object is still that one. Checked inside the transaction
 * that acts, against the record that transaction read, so between the check and the effect there is nothing.
 *
 * ETags compare exactly. Dates compare in whole seconds, as HTTP prints them: an object changed in the same
 * second counts as not modified.
 */
export interface Conditions {
    readonly ifMatch?: EtagMatch;
    readonly ifNoneMatch?: EtagMatch;
    readonly ifModifiedSince?: Instant;
    readonly ifUnmodifiedSince?: Instant;
    readonly ifTags?: TagPredicate;
}
export declare const NO_CONDITIONS: Conditions;
/** What conditions look at. An object that exists only as uncommitted blocks is not there. */
export interface Subject {
    readonly revision: Revision;
    readonly tags?: Tags | undefined;
}
export type ConditionName = Exclude<keyof Conditions, undefined>;
/**
 * Reads of the content and of the properties take any combination:
 *
 *   If-Match AND If-Unmodified-Since AND (If-None-Match OR If-Modified-Since) AND tags
 *
 * The first two protect ("the object I know": 412 otherwise), the pair in brackets asks for news ("only if there
 * is any": 304 otherwise). One of the pair that holds is news enough.
 */
export declare function checkRead(conditions: Conditions, subject: Subject): RefusalCode | undefined;
/**
 * Every other operation takes one condition, or one of two pairs in which the ETag decides alone. The refusal
 * for anything else; it is known before anything is read.
 */
export declare function checkCombination(conditions: Conditions): RefusalCode | undefined;
/** Which of the given conditions does not hold, after the pairs have been resolved. */
export declare function failingCondition(conditions: Conditions, subject: Subject): ConditionName | undefined;
/**
 * Whether a write may go ahead on an object that is there. `kind`: one that creates answers "if none exists"
 * with the fact that it does (409); any other with a failed condition (412).
 */
export declare function checkWrite(conditions: Conditions, subject: Subject | undefined, kind: "create" | "change"): RefusalCode | undefined;
/** Reads that take one condition only (Get Page Ranges): the rules of writes, the 304 of reads. */
export declare function checkSingleRead(conditions: Conditions, subject: Subject): RefusalCode | undefined;
/**
 * The source of a copy has conditions of its own, and each operation its own words for them. Recorded answers
 * of the service; where a read of the source would have been 304, the copy is answered 304 too.
 */
export type SourceUse = "copy" | "putBlobFromUrl" | "partFromUrl";
export declare function checkSource(conditions: Conditions, subject: Subject, use: SourceUse): RefusalCode | undefined;
/** The destination of Put Blob From URL says of its ETag conditions that it is the target that failed. */
export declare function targetCode(conditions: Conditions, subject: Subject | undefined): RefusalCode;
/** Append Block: where the block must land, and how long the blob may become. */
export interface AppendConditions {
    readonly appendPosition?: number;
    readonly maxSize?: number;
}
export declare function checkAppend({ appendPosition, maxSize }: AppendConditions, lengths: {
    readonly current: number;
    readonly appended: number;
}): RefusalCode | undefined;
/** Page writes: all bounds that are given must hold for the blob's sequence number. */
export interface SequenceConditions {
    readonly lessOrEqual?: bigint;
    readonly less?: bigint;
    readonly equal?: bigint;
}
export declare function checkSequence({ lessOrEqual, less, equal }: SequenceConditions, current: bigint): RefusalCode | undefined;
