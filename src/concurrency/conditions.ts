import type { Instant } from "../base/clock.ts";
import type { RefusalCode } from "../base/refusals.ts";
import { instantOf, type Revision } from "../base/revision.ts";
import { type EtagMatch, isEtagAmong } from "./etag.ts";
import { holdsTags, type TagPredicate, type Tags } from "./tag-predicate.ts";

/**
 * Conditions make an operation depend on the state of its object: a client sends the ETag or the date that it
 * saw, and the operation goes ahead only while the object has not changed. They are checked against the
 * record that the operation's own transaction read, so nothing can come between the check and the effect.
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

/** What conditions are compared with. A blob of uncommitted blocks only does not exist. */
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

/** A read "if it does not exist" can never return the object: refused before anything is read. */
export function checkSatisfiable({ ifNoneMatch }: Conditions): RefusalCode | undefined {
  return ifNoneMatch === "*" ? "UnsatisfiableCondition" : undefined;
}

/**
 * Get Blob and Get Blob Properties accept any combination:
 *
 *   If-Match AND If-Unmodified-Since AND (If-None-Match OR If-Modified-Since) AND tags
 *
 * The first two ask for a particular state (412 otherwise), the pair in brackets for a changed one (304
 * otherwise).
 */
export function checkRead(conditions: Conditions, subject: Subject): RefusalCode | undefined {
  if (conditions === NO_CONDITIONS) return undefined;
  for (const name of ["ifMatch", "ifUnmodifiedSince", "ifTags"] as const) {
    if (conditions[name] !== undefined && !holds(name, conditions, subject)) return "ConditionNotMet";
  }
  const given = (["ifNoneMatch", "ifModifiedSince"] as const).filter(
    (name) => conditions[name] !== undefined,
  );
  const isModified = given.length === 0 || given.some((name) => holds(name, conditions, subject));
  return isModified ? undefined : "NotModified";
}

/**
 * All other operations accept one condition, or one of two pairs in which the ETag decides. Any other
 * combination is refused before anything is read.
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

/** The first condition that does not hold; a date counts only without its ETag partner. */
export function failingCondition(conditions: Conditions, subject: Subject): ConditionName | undefined {
  const decisive: ConditionName[] = [
    conditions.ifMatch !== undefined ? "ifMatch" : "ifUnmodifiedSince",
    conditions.ifNoneMatch !== undefined ? "ifNoneMatch" : "ifModifiedSince",
    "ifTags",
  ];
  return decisive.find((name) => conditions[name] !== undefined && !holds(name, conditions, subject));
}

/**
 * Whether a write may go ahead. If-None-Match: * on an existing object is "already exists" (409) for an
 * operation that creates, and a failed condition (412) for any other. It does not stop the holder of the
 * object's lease from creating it anew.
 */
export function checkWrite(
  conditions: Conditions,
  subject: Subject | undefined,
  kind: "create" | "change",
  holdsLease = false,
): RefusalCode | undefined {
  if (conditions === NO_CONDITIONS) return undefined;
  // Without an object, only If-Match and tags can fail: they ask for one that exists.
  if (subject === undefined) {
    const needsSubject = conditions.ifMatch !== undefined || conditions.ifTags !== undefined;
    return needsSubject ? "ConditionNotMet" : undefined;
  }
  if (kind === "create" && conditions.ifNoneMatch === "*") {
    if (!holdsLease) return "BlobAlreadyExists";
    const { ifNoneMatch: _, ...rest } = conditions;
    return checkWrite(rest, subject, kind);
  }
  return failingCondition(conditions, subject) === undefined ? undefined : "ConditionNotMet";
}

/** For reads that accept one condition only (Get Page Ranges): the rules of writes with the 304 of reads. */
export function checkSingleRead(conditions: Conditions, subject: Subject): RefusalCode | undefined {
  const failing = failingCondition(conditions, subject);
  if (failing === undefined) return undefined;
  return failing === "ifNoneMatch" || failing === "ifModifiedSince" ? "NotModified" : "ConditionNotMet";
}

/**
 * The source of a copy has its own conditions, and each operation its own codes for them, taken from recorded
 * replies of Azure. Where a read of the source would be 304, so is the copy.
 */
export type SourceUse = "copy" | "putBlobFromUrl" | "blockFromUrl" | "partFromUrl";

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
    ifNoneMatch: "CopySourceNotModified",
    ifModifiedSince: "CopySourceNotModified",
    ifUnmodifiedSince: "CopySourcePreconditionFailed",
    ifTags: "ConditionNotMet",
  },
  blockFromUrl: {
    ifMatch: "SourceConditionNotMet",
    ifNoneMatch: "CopySourceNotModified",
    ifModifiedSince: "CopySourceNotModified",
    ifUnmodifiedSince: "CopySourcePreconditionFailed",
    ifTags: "CopySourcePreconditionFailed",
  },
  partFromUrl: {
    ifMatch: "CopySourcePreconditionFailed",
    ifNoneMatch: "CopySourceNotModified",
    ifModifiedSince: "CopySourceNotModified",
    ifUnmodifiedSince: "CopySourcePreconditionFailed",
    ifTags: "CopySourcePreconditionFailed",
  },
};

/** The code of a failed condition on the target of a copy: that of an ETag names the target. */
export function targetCode(
  conditions: Conditions,
  subject: Subject | undefined,
  use: SourceUse,
): RefusalCode {
  const first = conditions.ifMatch === undefined ? "ifTags" : "ifMatch";
  const failing = subject === undefined ? first : failingCondition(conditions, subject);
  const isNamed = failing === "ifMatch" || (failing === "ifNoneMatch" && use === "putBlobFromUrl");
  return isNamed ? "TargetConditionNotMet" : "ConditionNotMet";
}

/** Delete Blob may depend on when the tier was last set; without that, the creation time counts. */
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

/** Append Block: the offset the block must have, and the maximum length of the blob. */
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

/** Put Page: all given bounds must hold for the blob's sequence number. */
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
