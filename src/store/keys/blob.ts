import type { Instant } from "../../base/clock.ts";
import type { Revision } from "../../base/revision.ts";
import type { Key, Range } from "../kv.ts";
import { KeyReader, packKey, packOpenText, prefixEnd, prefixRange } from "./pack.ts";

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
 *   bj  account tag value container-id blob revision   the same of its versions
 *   bh  container-id instant blob revision   the index of what is held: until when; the present state has no revision
 *   bg  revision                     what nobody names any more, for the reclaimer to take apart
 *   bt  instant revision             what is due at a time: expiry of blocks, of blobs, of what was soft-deleted
 *
 * What a blob was is kept apart from what it is: a listing that does not ask for the past never walks over it.
 */
export function containerKey(account: string, container: string): Key {
  const last = lastContainer;
  if (last?.container === container && last.account === account) return last.key;
  const key = packKey(["bc", account, container]);
  lastContainer = { account, container, key };
  return key;
}

/**
 * The keys that were made last. A client stays in one container for a while, and a write looks its blob up before it
 * puts it; a key that is the same string each time is also found sooner in every map.
 */
let lastContainer: { readonly account: string; readonly container: string; readonly key: Key } | undefined;
let lastBlob: { readonly container: bigint; readonly blob: string; readonly key: Key } | undefined;

export function containersOf(account: string, prefix: string): Range {
  return prefixRange(packOpenText(["bc", account], prefix));
}

export function containerOfKey(key: Key): string {
  return new KeyReader(key).skipText().skipText().text();
}

export function deletedContainerKey(account: string, container: string, deletion: Revision): Key {
  return packKey(["bd", account, container, deletion]);
}

export function deletedContainersOf(account: string, prefix: string): Range {
  return prefixRange(packOpenText(["bd", account], prefix));
}

/** All that was soft-deleted under one name, oldest first. */
export function deletionsOfContainer(account: string, container: string): Range {
  return prefixRange(packKey(["bd", account, container]));
}

export function deletionOfKey(key: Key): { readonly container: string; readonly deletion: Revision } {
  const reader = new KeyReader(key).skipText().skipText();
  return { container: reader.text(), deletion: reader.whole() };
}

export function blobKey(container: bigint, blob: string): Key {
  const last = lastBlob;
  if (last?.blob === blob && last.container === container) return last.key;
  const key = packKey(["bb", container, blob]);
  lastBlob = { container, blob, key };
  return key;
}

export function versionKey(container: bigint, blob: string, revision: Revision): Key {
  return packKey(["bp", container, blob, revision]);
}

/** Everything one blob was. */
export function versionsOfBlob(container: bigint, blob: string): Range {
  return prefixRange(packKey(["bp", container, blob]));
}

/** Present ("bb") or past ("bp") of the blobs whose names begin with `prefix`. */
export function blobsOf(family: "bb" | "bp", container: bigint, prefix = ""): Range {
  return prefixRange(packOpenText([family, container], prefix));
}

/** Where the names after all those that begin with `prefix` start: how a hierarchy steps over a folder. */
export function afterPrefix(family: "bb" | "bp", container: bigint, prefix: string): Key {
  return prefixEnd(packOpenText([family, container], prefix));
}

/** Where a listing goes on: at `blob` itself, or at one of its past states. */
export function fromBlob(family: "bb" | "bp", container: bigint, blob: string, revision?: Revision): Key {
  const parts = [family, container, blob];
  return packKey(revision === undefined ? parts : [...parts, revision]);
}

export function blobOfKey(key: Key): string {
  return new KeyReader(key).skipText().skipWhole().text();
}

export function versionsOfKey(key: Key): { readonly blob: string; readonly revision: Revision } {
  const reader = new KeyReader(key).skipText().skipWhole();
  return { blob: reader.text(), revision: reader.whole() };
}

export function contentKey(content: bigint): Key {
  return packKey(["bo", content]);
}

export function blockPageKey(content: bigint, place: bigint): Key {
  return packKey(["bl", content, place]);
}

export function blockPagesOf(content: bigint): Range {
  return prefixRange(packKey(["bl", content]));
}

export function placeOfBlockPage(key: Key): bigint {
  return new KeyReader(key).skipText().skipWhole().whole();
}

export function segmentKey(content: bigint, segment: number, epoch: bigint): Key {
  return packKey(["br", content, segment, epoch]);
}

/** Segments from one to another, the second not included, in all their epochs. */
export function segmentsOf(content: bigint, from = 0, to = Number.MAX_SAFE_INTEGER): Range {
  return { from: packKey(["br", content, from]), to: packKey(["br", content, to]) };
}

/** One segment in its epochs up to a given one. */
export function epochsOfSegment(content: bigint, segment: number, upTo: bigint): Range {
  return { from: packKey(["br", content, segment]), to: segmentKey(content, segment, upTo + 1n) };
}

export function segmentOfKey(key: Key): { readonly segment: number; readonly epoch: bigint } {
  const reader = new KeyReader(key).skipText().skipWhole();
  return { segment: Number(reader.whole()), epoch: reader.whole() };
}

export function epochKey(content: bigint, epoch: bigint): Key {
  return packKey(["be", content, epoch]);
}

export function epochsOf(content: bigint): Range {
  return prefixRange(packKey(["be", content]));
}

export function epochOfKey(key: Key): bigint {
  return new KeyReader(key).skipText().skipWhole().whole();
}

export function fragmentedSegmentKey(revision: Revision): Key {
  return packKey(["bk", revision]);
}

export const ALL_FRAGMENTED_SEGMENTS: Range = prefixRange(packKey(["bk"]));

export function stagingKey(staging: bigint): Key {
  return packKey(["bu", staging]);
}

export function stagedBlockKey(staging: bigint, blockId: string): Key {
  return packKey(["bx", staging, blockId]);
}

export function stagedBlocksOf(staging: bigint): Range {
  return prefixRange(packKey(["bx", staging]));
}

export function blockIdOfKey(key: Key): string {
  return new KeyReader(key).skipText().skipWhole().text();
}

export interface TagPlace {
  readonly value: string;
  readonly container: bigint;
  readonly blob: string;
  /** Of a version that is not the present state. */
  readonly version?: Revision;
}

/** The index of present states, and that of versions. */
export type TagFamily = "bi" | "bj";

export function tagKey(account: string, tag: string, place: TagPlace): Key {
  const { value, container, blob, version } = place;
  if (version === undefined) return packKey(["bi", account, tag, value, container, blob]);
  return packKey(["bj", account, tag, value, container, blob, version]);
}

/** Entries of a tag with that value, in one container or in all. */
export function tagValues(
  family: TagFamily,
  of: { readonly account: string; readonly tag: string; readonly value: string; readonly container?: bigint },
): Range {
  const parts = [family, of.account, of.tag, of.value];
  return prefixRange(packKey(of.container === undefined ? parts : [...parts, of.container]));
}

export function tagsOf(family: TagFamily, account: string, tag: string): Range {
  return prefixRange(packKey([family, account, tag]));
}

export function placeOfTagKey(key: Key): TagPlace {
  const reader = new KeyReader(key);
  const isVersion = reader.text() === "bj";
  const place = {
    value: reader.skipText().skipText().text(),
    container: reader.whole(),
    blob: reader.text(),
  };
  return isVersion ? { ...place, version: reader.whole() } : place;
}

/** Where a state of a blob is held until an instant. */
export function guardKey(
  { container, blob, at = 0n }: { readonly container: bigint; readonly blob: string; readonly at?: Revision },
  until: Instant,
): Key {
  return packKey(["bh", container, until, blob, at]);
}

export function stateOfGuardKey(key: Key): { readonly blob: string; readonly at: Revision | undefined } {
  const reader = new KeyReader(key).skipText().skipWhole().skipWhole();
  const blob = reader.text();
  const at = reader.whole();
  return { blob, at: at === 0n ? undefined : at };
}

/** What a container holds that is kept beyond an instant; without one, all that ever was. */
export function guardedUntil(container: bigint, after?: Instant): Range {
  const { from, to } = prefixRange(packKey(["bh", container]));
  return { from: after === undefined ? from : packKey(["bh", container, Math.floor(after) + 1]), to };
}

export function garbageKey(revision: Revision): Key {
  return packKey(["bg", revision]);
}

export const ALL_GARBAGE: Range = prefixRange(packKey(["bg"]));

export function dueKey(at: Instant, revision: Revision): Key {
  return packKey(["bt", Math.max(0, Math.floor(at)), revision]);
}

/** Everything due by `now`, soonest first. */
export function dueBy(now: Instant): Range {
  return { from: packKey(["bt"]), to: packKey(["bt", Math.max(0, Math.floor(now)) + 1]) };
}
