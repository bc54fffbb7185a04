import type { Instant } from "../../base/clock.ts";
import type { Revision } from "../../base/revision.ts";
import type { Key, Range } from "../kv.ts";
/**
 * The key families of the Blob service. Containers are found by name; what they hold is keyed by the id of
 * their incarnation, so a container deleted and made again is another one.
 *
 *   bc  account container            the container                             List Containers reads this range
 *   bd  account container revision   a soft-deleted container
 *   bb  container-id blob            the blob: one point read for Get Blob     List Blobs reads this range
 *   bp  container-id blob revision   what the blob was: snapshots, versions, soft-deleted states, oldest first
 *   bo  content-id                   how many records name a content
 *   bl  content-id place             its blocks, some at a key, in order of their offset
 *   br  content-id segment epoch     ranges of a page blob's content, a segment at a key; see services/blob/page-content.ts
 *   be  content-id epoch             how many records hold that epoch of it
 *   bk  revision                     segments that have become too many pieces, for the reclaimer to put together
 *   bu  staging-id                   the uncommitted blocks of a blob: how many, since when
 *   bx  staging-id block-id          an uncommitted block
 *   bi  account tag value container-id blob   the tag index: an entry for each tag of a blob
 *   bg  revision                     what nobody names any more, for the reclaimer to take apart
 *   bt  instant revision             what is due at a time: expiry of blocks, of blobs, of what was soft-deleted
 *
 * What a blob was is kept apart from what it is: a listing that does not ask for the past never walks over it.
 */
export declare function containerKey(account: string, container: string): Key;
export declare function containersOf(account: string, prefix: string): Range;
export declare function containerOfKey(key: Key): string;
export declare function deletedContainerKey(account: string, container: string, deletion: Revision): Key;
export declare function deletedContainersOf(account: string, prefix: string): Range;
/** All that was soft-deleted under one name, oldest first. */
export declare function deletionsOfContainer(account: string, container: string): Range;
export declare function deletionOfKey(key: Key): {
    readonly container: string;
    readonly deletion: Revision;
};
export declare function blobKey(container: bigint, blob: string): Key;
export declare function pastKey(container: bigint, blob: string, revision: Revision): Key;
/** Everything one blob was. */
export declare function pastOfBlob(container: bigint, blob: string): Range;
/** Present ("bb") or past ("bp") of the blobs whose names begin with `prefix`. */
export declare function blobsOf(family: "bb" | "bp", container: bigint, prefix?: string): Range;
/** Where the names after all those that begin with `prefix` start: how a hierarchy steps over a folder. */
export declare function afterPrefix(family: "bb" | "bp", container: bigint, prefix: string): Key;
/** Where a listing goes on: at `blob` itself, or at one of its past states. */
export declare function fromBlob(family: "bb" | "bp", container: bigint, blob: string, revision?: Revision): Key;
export declare function blobOfKey(key: Key): string;
export declare function pastOfKey(key: Key): {
    readonly blob: string;
    readonly revision: Revision;
};
export declare function contentKey(content: bigint): Key;
export declare function blockPageKey(content: bigint, place: bigint): Key;
export declare function blockPagesOf(content: bigint): Range;
export declare function placeOfBlockPage(key: Key): bigint;
export declare function segmentKey(content: bigint, segment: number, epoch: bigint): Key;
/** Segments from one to another, the second not included, in all their epochs. */
export declare function segmentsOf(content: bigint, from?: number, to?: number): Range;
/** One segment in its epochs up to a given one. */
export declare function epochsOfSegment(content: bigint, segment: number, upTo: bigint): Range;
export declare function segmentOfKey(key: Key): {
    readonly segment: number;
    readonly epoch: bigint;
};
export declare function epochKey(content: bigint, epoch: bigint): Key;
export declare function epochsOf(content: bigint): Range;
export declare function epochOfKey(key: Key): bigint;
export declare function piecedSegmentKey(revision: Revision): Key;
export declare const ALL_PIECED_SEGMENTS: Range;
export declare function stagingKey(staging: bigint): Key;
export declare function stagedBlockKey(staging: bigint, blockId: string): Key;
export declare function stagedBlocksOf(staging: bigint): Range;
export declare function blockIdOfKey(key: Key): string;
export interface TagPlace {
    readonly value: string;
    readonly container: bigint;
    readonly blob: string;
}
export declare function tagKey(account: string, tag: string, { value, container, blob }: TagPlace): Key;
/** Entries of a tag with that value, in one container or in all. */
export declare function tagValues(account: string, tag: string, value: string, container?: bigint): Range;
export declare function tagsOf(account: string, tag: string): Range;
export declare function placeOfTagKey(key: Key): TagPlace;
export declare function garbageKey(revision: Revision): Key;
export declare const ALL_GARBAGE: Range;
export declare function dueKey(at: Instant, revision: Revision): Key;
/** Everything due by `now`, soonest first. */
export declare function dueBy(now: Instant): Range;
