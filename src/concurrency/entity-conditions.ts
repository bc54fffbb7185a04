import type { Revision } from "../base/revision.ts";

/**
 * Optimistic concurrency of entities: a client sends the ETag of the revision that it read, and its change is
 * refused when the entity has another revision now.
 *
 *   change            If-Match     entity absent           entity present
 *   insert            not used     goes ahead              EntityAlreadyExists
 *   replace, merge    required     ResourceNotFound        goes ahead when it matches, or with "*"
 *   delete            required     ResourceNotFound        the same
 *   insertOrReplace   not used     goes ahead              goes ahead: the last writer wins
 *   insertOrMerge     not used     goes ahead              goes ahead
 *
 * A missing entity is reported before a failed condition, also with "*".
 */
export type EntityChangeKind =
  | "insert"
  | "replace"
  | "merge"
  | "insertOrReplace"
  | "insertOrMerge"
  | "delete";

/** A revision, any revision, or an ETag that no entity can have. */
export type IfMatch = Revision | "*" | "unknown";

export type EntityVerdict =
  | "met"
  | "EntityAlreadyExists"
  | "ResourceNotFound"
  | "UpdateConditionNotSatisfied";

/** `current` is the revision read in the same transaction, undefined when there is no such entity. */
export function checkEntityChange(
  kind: EntityChangeKind,
  ifMatch: IfMatch | undefined,
  current: Revision | undefined,
): EntityVerdict {
  switch (kind) {
    case "insert":
      return current === undefined ? "met" : "EntityAlreadyExists";
    case "insertOrReplace":
    case "insertOrMerge":
      return "met";
    case "replace":
    case "merge":
    case "delete":
      if (current === undefined) return "ResourceNotFound";
      return ifMatch === "*" || ifMatch === current ? "met" : "UpdateConditionNotSatisfied";
  }
}
