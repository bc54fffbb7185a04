import type { Instant } from "../../base/clock.ts";
import type { Revision } from "../../base/revision.ts";
import type { Key, Range } from "../kv.ts";
import { KeyReader, LastKey, packKey, packOpenText, prefixEnd, prefixRange } from "./pack.ts";

/**
 * The key families of the Blob service. Containers are keyed by name, their contents by the id of the
 * incarnation, so that a container that is deleted and created again starts empty.
 *
 *   bc  account container            the container                         List Containers reads this range
 *   bd  account container revision   a soft-deleted container
 *   bb  container-id blob            the blob: one point read for Get Blob   List Blobs reads this range
 *   bp  container-id blob revision   earlier states: snapshots, versions, soft-deleted, oldest first
 *   bo  content-id                   how many records reference a content
 *   bl  content-id place             its blocks, several at a key, in order of their offset
 *   br  content-id segment epoch     ranges of a page blob: see services/blob/page-content.ts
 *   be  content-id epoch             how many records reference that epoch of it
 *   bk  revision                     fragmented segments, for the reclaimer to defragment
 *   bu  staging-id                   the uncommitted blocks of a blob: how many, since when
 *   bx  staging-id block-id          an uncommitted block
 *   bi  account tag value container-id blob   the tag index: an entry for each tag of a blob
 *   bj  account tag value container-id blob revision   the same of its versions
 *   bh  container-id instant blob revision   immutable states, by end; the current one has no revision
 *   bg  revision                     unreferenced contents, for the reclaimer to free
 *   bt  instant revision             work due at a time: expiry of blocks, of blobs, of soft-deleted states
 *
 * Earlier states have keys of their own, so that a listing without them does not scan them.
 */
export const containerKey = (account: string, container: string): Key => containerKeys.of(account, container);

const containerKeys = new LastKey((account: string, container: string) =>
  packKey(["bc", account, container]),
);
const blobKeys = new LastKey((container: bigint, blob: string) => packKey(["bb", container, blob]));

export const containersOf = (account: string, prefix: string): Range =>
  prefixRange(packOpenText(["bc", account], prefix));
/** Containers of all accounts: those that exist, or those that are soft-deleted. */
export const allContainers = (state: "present" | "deleted"): Range =>
  prefixRange(packKey([state === "present" ? "bc" : "bd"]));
export const containerOfKey = (key: Key): string => new KeyReader(key).skipText().skipText().text();
export const deletedContainerKey = (account: string, container: string, deletion: Revision): Key =>
  packKey(["bd", account, container, deletion]);
export const deletedContainersOf = (account: string, prefix: string): Range =>
  prefixRange(packOpenText(["bd", account], prefix));

export function deletionOfKey(key: Key): { readonly container: string; readonly deletion: Revision } {
  const reader = new KeyReader(key).skipText().skipText();
  return { container: reader.text(), deletion: reader.whole() };
}

export const blobKey = (container: bigint, blob: string): Key => blobKeys.of(container, blob);
export const versionKey = (container: bigint, blob: string, revision: Revision): Key =>
  packKey(["bp", container, blob, revision]);

/** Every earlier state of one blob. */
export const versionsOfBlob = (container: bigint, blob: string): Range =>
  prefixRange(packKey(["bp", container, blob]));

/** Current ("bb") or earlier ("bp") states of the blobs whose names begin with `prefix`. */
export const blobsOf = (family: "bb" | "bp", container: bigint, prefix = ""): Range =>
  prefixRange(packOpenText([family, container], prefix));

/** The key after all names with the prefix: a hierarchical listing continues there after a folder. */
export const afterPrefix = (family: "bb" | "bp", container: bigint, prefix: string): Key =>
  prefixEnd(packOpenText([family, container], prefix));

/** Where a listing continues: at `blob` itself, or at one of its earlier states. */
export const fromBlob = (family: "bb" | "bp", container: bigint, blob: string, revision?: Revision): Key =>
  packKey(revision === undefined ? [family, container, blob] : [family, container, blob, revision]);
export const blobOfKey = (key: Key): string => new KeyReader(key).skipText().skipWhole().text();

export function versionsOfKey(key: Key): { readonly blob: string; readonly revision: Revision } {
  const reader = new KeyReader(key).skipText().skipWhole();
  return { blob: reader.text(), revision: reader.whole() };
}

export const contentKey = (content: bigint): Key => packKey(["bo", content]);
export const blockPageKey = (content: bigint, place: bigint): Key => packKey(["bl", content, place]);
export const blockPagesOf = (content: bigint): Range => prefixRange(packKey(["bl", content]));
export const placeOfBlockPage = (key: Key): bigint => new KeyReader(key).skipText().skipWhole().whole();
export const segmentKey = (content: bigint, segment: number, epoch: bigint): Key =>
  packKey(["br", content, segment, epoch]);

/** Segments from `from` up to `to`, exclusive, in all epochs. */
export const segmentsOf = (content: bigint, from = 0, to = Number.MAX_SAFE_INTEGER): Range => ({
  from: packKey(["br", content, from]),
  to: packKey(["br", content, to]),
});

/** One segment in its epochs up to `upTo`. */
export const epochsOfSegment = (content: bigint, segment: number, upTo: bigint): Range => ({
  from: packKey(["br", content, segment]),
  to: segmentKey(content, segment, upTo + 1n),
});

export function segmentOfKey(key: Key): { readonly segment: number; readonly epoch: bigint } {
  const reader = new KeyReader(key).skipText().skipWhole();
  return { segment: Number(reader.whole()), epoch: reader.whole() };
}

export const epochKey = (content: bigint, epoch: bigint): Key => packKey(["be", content, epoch]);
export const epochsOf = (content: bigint): Range => prefixRange(packKey(["be", content]));
export const epochOfKey = (key: Key): bigint => new KeyReader(key).skipText().skipWhole().whole();
export const fragmentedSegmentKey = (revision: Revision): Key => packKey(["bk", revision]);
export const ALL_FRAGMENTED_SEGMENTS: Range = prefixRange(packKey(["bk"]));
export const stagingKey = (staging: bigint): Key => packKey(["bu", staging]);
export const stagedBlockKey = (staging: bigint, blockId: string): Key => packKey(["bx", staging, blockId]);
export const stagedBlocksOf = (staging: bigint): Range => prefixRange(packKey(["bx", staging]));
export const blockIdOfKey = (key: Key): string => new KeyReader(key).skipText().skipWhole().text();

export interface TagPlace {
  readonly value: string;
  readonly container: bigint;
  readonly blob: string;
  /** Of a version that is not the current state. */
  readonly version?: Revision;
}

/** The index of current states, and that of versions. */
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

export const tagsOf = (family: TagFamily, account: string, tag: string): Range =>
  prefixRange(packKey([family, account, tag]));

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

/** The entry of a state that is immutable until an instant. */
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

/** States in a container that are immutable beyond an instant; without one, all entries. */
export function guardedUntil(container: bigint, after?: Instant): Range {
  const { from, to } = prefixRange(packKey(["bh", container]));
  return { from: after === undefined ? from : packKey(["bh", container, Math.floor(after) + 1]), to };
}

export const garbageKey = (revision: Revision): Key => packKey(["bg", revision]);
export const ALL_GARBAGE: Range = prefixRange(packKey(["bg"]));
export const dueKey = (at: Instant, revision: Revision): Key =>
  packKey(["bt", Math.max(0, Math.floor(at)), revision]);

/** Everything due by `now`, soonest first. */
export const dueBy = (now: Instant): Range => ({
  from: packKey(["bt"]),
  to: packKey(["bt", Math.max(0, Math.floor(now)) + 1]),
});
