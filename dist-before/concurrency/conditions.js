import { instantOf } from "../base/revision.js";
import { isEtagAmong } from "./etag.js";
import { holdsTags } from "./tag-predicate.js";
export const NO_CONDITIONS = {};
const second = (instant) => Math.floor(instant / 1_000);
function holds(name, conditions, subject) {
    const modified = second(instantOf(subject.revision));
    switch (name) {
        case "ifMatch":
            return isEtagAmong(conditions.ifMatch, subject.revision);
        case "ifNoneMatch":
            return !isEtagAmong(conditions.ifNoneMatch, subject.revision);
        case "ifModifiedSince":
            return modified > second(conditions.ifModifiedSince);
        case "ifUnmodifiedSince":
            return modified <= second(conditions.ifUnmodifiedSince);
        case "ifTags":
            return holdsTags(conditions.ifTags, subject.tags ?? {});
    }
}
/**
 * Reads of the content and of the properties take any combination:
 *
 *   If-Match AND If-Unmodified-Since AND (If-None-Match OR If-Modified-Since) AND tags
 *
 * The first two protect ("the object I know": 412 otherwise), the pair in brackets asks for news ("only if there
 * is any": 304 otherwise). One of the pair that holds is news enough.
 */
export function checkRead(conditions, subject) {
    // Every read carries its conditions object; most carry none of them.
    if (conditions === NO_CONDITIONS)
        return undefined;
    // "Give it to me if it does not exist" can never be answered with the object.
    if (conditions.ifNoneMatch === "*")
        return "UnsatisfiableCondition";
    for (const name of ["ifMatch", "ifUnmodifiedSince", "ifTags"]) {
        if (conditions[name] !== undefined && !holds(name, conditions, subject))
            return "ConditionNotMet";
    }
    const asked = ["ifNoneMatch", "ifModifiedSince"].filter((name) => conditions[name] !== undefined);
    if (asked.length > 0 && !asked.some((name) => holds(name, conditions, subject)))
        return "NotModified";
    return undefined;
}
/**
 * Every other operation takes one condition, or one of two pairs in which the ETag decides alone. The refusal
 * for anything else; it is known before anything is read.
 */
export function checkCombination(conditions) {
    const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = conditions;
    for (const match of [ifMatch, ifNoneMatch]) {
        if (match !== undefined && match !== "*" && match.length > 1)
            return "MultipleConditionHeadersNotSupported";
    }
    const given = Number(ifMatch !== undefined) +
        Number(ifNoneMatch !== undefined) +
        Number(ifModifiedSince !== undefined) +
        Number(ifUnmodifiedSince !== undefined);
    if (given <= 1)
        return undefined;
    const isPair = given === 2 &&
        ((ifNoneMatch !== undefined && ifModifiedSince !== undefined) ||
            (ifMatch !== undefined && ifUnmodifiedSince !== undefined));
    return isPair ? undefined : "MultipleConditionHeadersNotSupported";
}
/** Which of the given conditions does not hold, after the pairs have been resolved. */
export function failingCondition(conditions, subject) {
    const decisive = [
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
export function checkWrite(conditions, subject, kind) {
    if (conditions === NO_CONDITIONS)
        return undefined;
    // Nothing is there: whatever must not have changed has not, and only If-Match (and a tag) asked for something.
    if (subject === undefined) {
        return conditions.ifMatch !== undefined || conditions.ifTags !== undefined
            ? "ConditionNotMet"
            : undefined;
    }
    if (kind === "create" && conditions.ifNoneMatch === "*")
        return "BlobAlreadyExists";
    return failingCondition(conditions, subject) === undefined ? undefined : "ConditionNotMet";
}
/** Reads that take one condition only (Get Page Ranges): the rules of writes, the 304 of reads. */
export function checkSingleRead(conditions, subject) {
    const failing = failingCondition(conditions, subject);
    if (failing === undefined)
        return undefined;
    return failing === "ifNoneMatch" || failing === "ifModifiedSince" ? "NotModified" : "ConditionNotMet";
}
export function checkSource(conditions, subject, use) {
    if (conditions === NO_CONDITIONS)
        return undefined;
    const failing = failingCondition(conditions, subject);
    return failing === undefined ? undefined : SOURCE_CODES[use][failing];
}
const SOURCE_CODES = {
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
export function targetCode(conditions, subject) {
    const failing = subject === undefined ? "ifMatch" : failingCondition(conditions, subject);
    return failing === "ifMatch" || failing === "ifNoneMatch" ? "TargetConditionNotMet" : "ConditionNotMet";
}
export function checkAppend({ appendPosition, maxSize }, lengths) {
    if (appendPosition !== undefined && lengths.current !== appendPosition)
        return "AppendPositionConditionNotMet";
    const after = lengths.current + lengths.appended;
    if (maxSize !== undefined && after > maxSize)
        return "MaxBlobSizeConditionNotMet";
    return undefined;
}
export function checkSequence({ lessOrEqual, less, equal }, current) {
    const isMet = (lessOrEqual === undefined || current <= lessOrEqual) &&
        (less === undefined || current < less) &&
        (equal === undefined || current === equal);
    return isMet ? undefined : "SequenceNumberConditionNotMet";
}
