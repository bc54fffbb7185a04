import type { Instant } from "../base/clock.ts";
import type { RefusalCode } from "../base/refusals.ts";
import { instantOf, type Revision } from "../base/revision.ts";
import { type EtagMatch, isEtagAmong } from "./etag.ts";
import { holdsTags, type TagPredicate, type Tags } from "./tag-predicate.ts";

/**
 * Conditions: "do it only if nobody has been here since". A client that read an object sends the ETag (or the
 * date) it saw; the operation goes ahead only while the object is still that one. Checked inside the
 * transaction that acts, against the record that transaction read, so between the check and the effect there
 * is nothing.
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

export const NO_CONDITIONS: Conditions = {};

/** What conditions look at. An object that exists only as uncommitted blocks is not there. */
export interface Subject {
  readonly revision: Revision;
  readonly tags?: Tags | undefined;
}

export type ConditionName = Exclude<keyof Conditions, undefined>;

const second = (instant: Instant): number => Math.floor(instant / 1_000);

function holds(name: ConditionName, conditions: Conditions, subject: Subject): boolean {
  const modified = second(instantOf(subject.revision));
  switch (name) {
    case "ifMatch":
      return isEtagAmong(conditions.ifMatch!, subject.revision);
    case "ifNoneMatch":
      return !isEtagAmong(conditions.ifNoneMatch!, subject.revision);
    case "ifModifiedSince":
      return modified > second(conditions.ifModifiedSince!);
    case "ifUnmodifiedSince":
      return modified <= second(conditions.ifUnmodifiedSince!);
    case "ifTags":
      return holdsTags(conditions.ifTags!, subject.tags ?? {});
  }
}

/**
 * Reads of the content and of the properties take any combination:
 *
 *   If-Match AND If-Unmodified-Since AND (If-None-Match OR If-Modified-Since) AND tags
 *
 * The first two protect ("the object I know": 412 otherwise), the pair in brackets asks for news ("only if
 * there is any": 304 otherwise). One of the pair that holds is news enough.
 */
export function checkRead(conditions: Conditions, subject: Subject): RefusalCode | undefined {
  // Every read carries its conditions object; most carry none of them.
  if (conditions === NO_CONDITIONS) return undefined;
  // "Give it to me if it does not exist" can never be answered with the object.
  if (conditions.ifNoneMatch === "*") return "UnsatisfiableCondition";
  for (const name of ["ifMatch", "ifUnmodifiedSince", "ifTags"] as const) {
    if (conditions[name] !== undefined && !holds(name, conditions, subject)) return "ConditionNotMet";
  }
  const asked = (["ifNoneMatch", "ifModifiedSince"] as const).filter(
    (name) => conditions[name] !== undefined,
  );
  if (asked.length > 0 && !asked.some((name) => holds(name, conditions, subject))) return "NotModified";
  return undefined;
}

/**
 * Every other operation takes one condition, or one of two pairs in which the ETag decides alone. The refusal
 * for anything else; it is known before anything is read.
 */
export function checkCombination(conditions: Conditions): RefusalCode | undefined {
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = conditions;
  for (const match of [ifMatch, ifNoneMatch]) {
    if (match !== undefined && match !== "*" && match.length > 1)
      return "MultipleConditionHeadersNotSupported";
  }
  const given =
    Number(ifMatch !== undefined) +
    Number(ifNoneMatch !== undefined) +
    Number(ifModifiedSince !== undefined) +
    Number(ifUnmodifiedSince !== undefined);
  if (given <= 1) return undefined;
  const isPair =
    given === 2 &&
    ((ifNoneMatch !== undefined && ifModifiedSince !== undefined) ||
      (ifMatch !== undefined && ifUnmodifiedSince !== undefined));
  return isPair ? undefined : "MultipleConditionHeadersNotSupported";
}

/** Which of the given conditions does not hold, after the pairs have been resolved. */
export function failingCondition(conditions: Conditions, subject: Subject): ConditionName | undefined {
  const decisive: ConditionName[] = [
    conditions.ifMatch !== undefined ? "ifMatch" : "ifUnmodifiedSince",
    conditions.ifNoneMatch !== undefined ? "ifNoneMatch" : "ifModifiedSince",
    "ifTags",
  ];
  return decisive.find((name) => conditions[name] !== undefined && !holds(name, conditions, subject));
}

/**
 * Whether a write may go ahead on an object that is there. `kind`: one that creates answers "if none exists"
 * with the fact that it does (409); any other with a failed condition (412).
 */
export function checkWrite(
  conditions: Conditions,
  subject: Subject | undefined,
  kind: "create" | "change",
): RefusalCode | undefined {
  if (conditions === NO_CONDITIONS) return undefined;
  // Nothing is there: whatever must not have changed has not, and only If-Match (and a tag) asked for
  // something.
  if (subject === undefined) {
    return conditions.ifMatch !== undefined || conditions.ifTags !== undefined
      ? "ConditionNotMet"
      : undefined;
  }
  if (kind === "create" && conditions.ifNoneMatch === "*") return "BlobAlreadyExists";
  return failingCondition(conditions, subject) === undefined ? undefined : "ConditionNotMet";
}

/** Reads that take one condition only (Get Page Ranges): the rules of writes, the 304 of reads. */
export function checkSingleRead(conditions: Conditions, subject: Subject): RefusalCode | undefined {
  const failing = failingCondition(conditions, subject);
  if (failing === undefined) return undefined;
  return failing === "ifNoneMatch" || failing === "ifModifiedSince" ? "NotModified" : "ConditionNotMet";
}

/**
 * The source of a copy has conditions of its own, and each operation its own words for them. Recorded answers
 * of the service; where a read of the source would have been 304, the copy is answered 304 too.
 */
export type SourceUse = "copy" | "putBlobFromUrl" | "partFromUrl";

export function checkSource(
  conditions: Conditions,
  subject: Subject,
  use: SourceUse,
): RefusalCode | undefined {
  if (conditions === NO_CONDITIONS) return undefined;
  const failing = failingCondition(conditions, subject);
  return failing === undefined ? undefined : SOURCE_CODES[use][failing];
}

const SOURCE_CODES: Readonly<Record<SourceUse, Readonly<Record<ConditionName, RefusalCode>>>> = {
  copy: {
    ifMatch: "SourceConditionNotMet",
    ifNoneMatch: "SourceConditionNotMet",
    ifModifiedSince: "SourceConditionNotMet",
    ifUnmodifiedSince: "SourceConditionNotMet",
    ifTags: "ConditionNotMet",
  },
  putBlobFromUrl: {
    ifMatch: "SourceConditionNotMet",
    ifNoneMatch: "SourceConditionNotMet",
    ifModifiedSince: "CopySourceNotModified",
    ifUnmodifiedSince: "CopySourcePreconditionFailed",
    ifTags: "ConditionNotMet",
  },
  partFromUrl: {
    ifMatch: "CopySourcePreconditionFailed",
    ifNoneMatch: "CopySourceNotModified",
    ifModifiedSince: "CopySourceNotModified",
    ifUnmodifiedSince: "CopySourcePreconditionFailed",
    ifTags: "CopySourcePreconditionFailed",
  },
};

/** The destination of Put Blob From URL says of its ETag conditions that it is the target that failed. */
export function targetCode(conditions: Conditions, subject: Subject | undefined): RefusalCode {
  const failing = subject === undefined ? "ifMatch" : failingCondition(conditions, subject);
  return failing === "ifMatch" || failing === "ifNoneMatch" ? "TargetConditionNotMet" : "ConditionNotMet";
}

/**
 * Delete Blob: whether its tier was changed since. A blob whose tier was never set has had it from its
 * beginning.
 */
export interface TierConditions {
  readonly modifiedSince?: Instant | undefined;
  readonly unmodifiedSince?: Instant | undefined;
}

export function checkTierTime(
  { modifiedSince, unmodifiedSince }: TierConditions,
  changedAt: Instant,
): RefusalCode | undefined {
  const isMet =
    (modifiedSince === undefined || second(changedAt) > second(modifiedSince)) &&
    (unmodifiedSince === undefined || second(changedAt) <= second(unmodifiedSince));
  return isMet ? undefined : "ConditionNotMet";
}

/** Append Block: where the block must land, and how long the blob may become. */
export interface AppendConditions {
  readonly appendPosition?: number;
  readonly maxSize?: number;
}

export function checkAppend(
  { appendPosition, maxSize }: AppendConditions,
  lengths: { readonly current: number; readonly appended: number },
): RefusalCode | undefined {
  if (appendPosition !== undefined && lengths.current !== appendPosition)
    return "AppendPositionConditionNotMet";
  const after = lengths.current + lengths.appended;
  if (maxSize !== undefined && after > maxSize) return "MaxBlobSizeConditionNotMet";
  return undefined;
}

/** Page writes: all bounds that are given must hold for the blob's sequence number. */
export interface SequenceConditions {
  readonly lessOrEqual?: bigint;
  readonly less?: bigint;
  readonly equal?: bigint;
}

export function checkSequence(
  { lessOrEqual, less, equal }: SequenceConditions,
  current: bigint,
): RefusalCode | undefined {
  const isMet =
    (lessOrEqual === undefined || current <= lessOrEqual) &&
    (less === undefined || current < less) &&
    (equal === undefined || current === equal);
  return isMet ? undefined : "SequenceNumberConditionNotMet";
}
