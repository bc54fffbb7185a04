import type { EntityContents, EntityKeys, Property } from "../../base/edm.ts";
import { Refusal } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import {
  checkEntityChange,
  type EntityChangeKind,
  type IfMatch,
} from "../../concurrency/entity-conditions.ts";
import { entityKey } from "../../store/keys/table.ts";
import type { RecordWrites } from "../../store/kv.ts";
import { packEntity, revisionOfEntity, unpackEntity } from "../../store/records/entity.ts";
import type { TableContext } from "./context.ts";
import { type EntityBounds, isWithin } from "./entity-bounds.ts";
import { checkEntity, checkKeys, checkProperties } from "./entity-rules.ts";
import { readTableSync, type TableRef } from "./tables.ts";

/**
 * Insert, Update, Merge, Insert Or Replace, Insert Or Merge and Delete Entity: one change, however it is
 * sent.
 */
export interface EntityChange extends EntityKeys, EntityContents {
  readonly kind: EntityChangeKind;
  /** For replace, merge and delete. */
  readonly ifMatch?: IfMatch | undefined;
  /** Without nulls and without repetitions; nothing for a delete. */
  readonly properties: readonly Property[];
}

export interface Changed {
  readonly revision: Revision;
  /** The name of the table as it was created. */
  readonly table: string;
}

/**
 * `bounds` is the part of the table that the caller may change. An invalid change throws before a promise is
 * returned.
 */
export function changeEntity(
  { store }: TableContext,
  ref: TableRef,
  change: EntityChange,
  bounds?: EntityBounds,
): Promise<Changed> {
  checkChange(change, bounds);
  return store.update((write) => {
    const { id, name } = readTableSync(write, ref);
    const key = entityKey(id, change);
    const current = write.get(key);
    const revision = write.revision(current === undefined ? undefined : revisionOfEntity(current));
    applyChange(write, { key, current, change, revision });
    return { revision, table: name };
  });
}

/** The checks that need no read. */
export function checkChange(change: EntityChange, bounds: EntityBounds | undefined): void {
  checkKeys(change);
  checkProperties(change.properties);
  if (bounds !== undefined && !isWithin(bounds, change)) throw new Refusal("AuthorizationFailure");
  if (change.kind !== "merge" && change.kind !== "insertOrMerge") checkEntity(change, change.properties);
}

export interface ChangeInPlace {
  readonly key: string;
  /** The entity as this transaction reads it. */
  readonly current: Buffer | undefined;
  readonly change: EntityChange;
  readonly revision: Revision;
}

/** Decides and writes; a refusal undoes the transaction. */
export function applyChange(write: RecordWrites, { key, current, change, revision }: ChangeInPlace): void {
  const { kind, ifMatch } = change;
  const verdict = checkEntityChange(
    kind,
    ifMatch,
    current === undefined ? undefined : revisionOfEntity(current),
  );
  if (verdict !== "met") throw new Refusal(verdict);
  if (kind === "delete") {
    write.delete(key);
    return;
  }
  let whole: EntityContents = change;
  if (kind === "merge" || kind === "insertOrMerge") {
    if (current !== undefined) whole = mergedContents(unpackEntity(current), change);
    checkEntity(change, whole.properties);
  }
  write.put(key, packEntity(revision, whole));
}

function mergedContents(present: EntityContents, change: EntityContents): EntityContents {
  return {
    properties: mergedProperties(present.properties, change.properties),
    isPlain: present.isPlain === true && change.isPlain === true,
  };
}

/** Properties keep their place when they get a new value; new ones come last. */
function mergedProperties(present: readonly Property[], changes: readonly Property[]): readonly Property[] {
  const merged = new Map<string, Property>();
  for (const property of present) merged.set(property.name, property);
  for (const property of changes) merged.set(property.name, property);
  return [...merged.values()];
}
