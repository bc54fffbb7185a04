import { KeyReader, packKey, packOpenText, prefixEnd, prefixRange } from "./pack.js";
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
export function containerKey(account, container) {
    return packKey(["bc", account, container]);
}
export function containersOf(account, prefix) {
    return prefixRange(packOpenText(["bc", account], prefix));
}
export function containerOfKey(key) {
    return new KeyReader(key).skipText().skipText().text();
}
export function deletedContainerKey(account, container, deletion) {
    return packKey(["bd", account, container, deletion]);
}
export function deletedContainersOf(account, prefix) {
    return prefixRange(packOpenText(["bd", account], prefix));
}
/** All that was soft-deleted under one name, oldest first. */
export function deletionsOfContainer(account, container) {
    return prefixRange(packKey(["bd", account, container]));
}
export function deletionOfKey(key) {
    const reader = new KeyReader(key).skipText().skipText();
    return { container: reader.text(), deletion: reader.whole() };
}
export function blobKey(container, blob) {
    return packKey(["bb", container, blob]);
}
export function pastKey(container, blob, revision) {
    return packKey(["bp", container, blob, revision]);
}
/** Everything one blob was. */
export function pastOfBlob(container, blob) {
    return prefixRange(packKey(["bp", container, blob]));
}
/** Present ("bb") or past ("bp") of the blobs whose names begin with `prefix`. */
export function blobsOf(family, container, prefix = "") {
    return prefixRange(packOpenText([family, container], prefix));
}
/** Where the names after all those that begin with `prefix` start: how a hierarchy steps over a folder. */
export function afterPrefix(family, container, prefix) {
    return prefixEnd(packOpenText([family, container], prefix));
}
/** Where a listing goes on: at `blob` itself, or at one of its past states. */
export function fromBlob(family, container, blob, revision) {
    const parts = [family, container, blob];
    return packKey(revision === undefined ? parts : [...parts, revision]);
}
export function blobOfKey(key) {
    return new KeyReader(key).skipText().skipWhole().text();
}
export function pastOfKey(key) {
    const reader = new KeyReader(key).skipText().skipWhole();
    return { blob: reader.text(), revision: reader.whole() };
}
export function contentKey(content) {
    return packKey(["bo", content]);
}
export function blockPageKey(content, place) {
    return packKey(["bl", content, place]);
}
export function blockPagesOf(content) {
    return prefixRange(packKey(["bl", content]));
}
export function placeOfBlockPage(key) {
    return new KeyReader(key).skipText().skipWhole().whole();
}
export function segmentKey(content, segment, epoch) {
    return packKey(["br", content, segment, epoch]);
}
/** Segments from one to another, the second not included, in all their epochs. */
export function segmentsOf(content, from = 0, to = Number.MAX_SAFE_INTEGER) {
    return { from: packKey(["br", content, from]), to: packKey(["br", content, to]) };
}
/** One segment in its epochs up to a given one. */
export function epochsOfSegment(content, segment, upTo) {
    return { from: packKey(["br", content, segment]), to: segmentKey(content, segment, upTo + 1n) };
}
export function segmentOfKey(key) {
    const reader = new KeyReader(key).skipText().skipWhole();
    return { segment: Number(reader.whole()), epoch: reader.whole() };
}
export function epochKey(content, epoch) {
    return packKey(["be", content, epoch]);
}
export function epochsOf(content) {
    return prefixRange(packKey(["be", content]));
}
export function epochOfKey(key) {
    return new KeyReader(key).skipText().skipWhole().whole();
}
export function piecedSegmentKey(revision) {
    return packKey(["bk", revision]);
}
export const ALL_PIECED_SEGMENTS = prefixRange(packKey(["bk"]));
export function stagingKey(staging) {
    return packKey(["bu", staging]);
}
export function stagedBlockKey(staging, blockId) {
    return packKey(["bx", staging, blockId]);
}
export function stagedBlocksOf(staging) {
    return prefixRange(packKey(["bx", staging]));
}
export function blockIdOfKey(key) {
    return new KeyReader(key).skipText().skipWhole().text();
}
export function tagKey(account, tag, { value, container, blob }) {
    return packKey(["bi", account, tag, value, container, blob]);
}
/** Entries of a tag with that value, in one container or in all. */
export function tagValues(account, tag, value, container) {
    const parts = ["bi", account, tag, value];
    return prefixRange(packKey(container === undefined ? parts : [...parts, container]));
}
export function tagsOf(account, tag) {
    return prefixRange(packKey(["bi", account, tag]));
}
export function placeOfTagKey(key) {
    const reader = new KeyReader(key).skipText().skipText().skipText();
    return { value: reader.text(), container: reader.whole(), blob: reader.text() };
}
export function garbageKey(revision) {
    return packKey(["bg", revision]);
}
export const ALL_GARBAGE = prefixRange(packKey(["bg"]));
export function dueKey(at, revision) {
    return packKey(["bt", Math.max(0, Math.floor(at)), revision]);
}
/** Everything due by `now`, soonest first. */
export function dueBy(now) {
    return { from: packKey(["bt"]), to: packKey(["bt", Math.max(0, Math.floor(now)) + 1]) };
}
