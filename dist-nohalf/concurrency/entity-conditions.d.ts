import type { Revision } from "../base/revision.ts";
/**
 * How a change to an entity meets what others have written. Optimistic by default: who changes an entity says
 * which revision it has seen, and loses if that is not the present one.
 *
 *   change            If-Match     entity absent           entity present
 *   insert            not used     goes ahead              EntityAlreadyExists
 *   replace, merge    required     ResourceNotFound        goes ahead when it matches, or with "*"
 *   delete            required     ResourceNotFound        the same
 *   insertOrReplace   not used     goes ahead              goes ahead: the last writer wins
 *   insertOrMerge     not used     goes ahead              goes ahead
 *
 * A missing entity is told before a condition that cannot be met, also under "*".
 */
export type EntityChangeKind = "insert" | "replace" | "merge" | "insertOrReplace" | "insertOrMerge" | "delete";
/** A revision, any revision, or an ETag that no entity of ours ever had. */
export type IfMatch = Revision | "*" | "unknown";
export type EntityVerdict = "met" | "EntityAlreadyExists" | "ResourceNotFound" | "UpdateConditionNotSatisfied";
/** `current` is the revision read in the same transaction, undefined when there is no such entity. */
export declare function checkEntityChange(kind: EntityChangeKind, ifMatch: IfMatch | undefined, current: Revision | undefined): EntityVerdict;
