import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import { entityKey } from "../../store/keys/table.ts";
import type { SyncReader } from "../../store/kv.ts";
import { revisionOfEntity } from "../../store/records/entity.ts";
import type { TableRecord } from "../../store/records/table.ts";
import { applyChange, type Changed, checkChange, type EntityChange } from "./change-entity.ts";
import type { TableContext } from "./context.ts";
import type { EntityBounds } from "./entity-bounds.ts";
import { readTableSync, type TableRef } from "./tables.ts";

/** The change that stopped a transaction, by its place in it. The transaction has changed nothing. */
export class ChangeRefused extends Error {
  override readonly name = "ChangeRefused";
  readonly index: number;
  readonly refusal: Refusal;

  constructor(index: number, refusal: Refusal) {
    super(`change ${index}: ${refusal.code}`);
    this.index = index;
    this.refusal = refusal;
  }
}

/**
 * Up to 100 changes to entities of one partition, all or none, in order, with one Timestamp. They run in one
 * transaction of the store, so a reader sees all of them or none of them.
 */
export function entityGroupTransaction(
  { store }: TableContext,
  ref: TableRef,
  changes: readonly EntityChange[],
  bounds?: EntityBounds,
): Promise<Changed> {
  checkTransaction(changes, bounds);
  return store.update((write) => {
    const { id, name } = tableFor(write, ref);
    const keys = changes.map((change) => entityKey(id, change));
    const present = write.getMany(keys);
    const revision = write.revision(highestOf(present));
    for (const [index, change] of changes.entries()) {
      try {
        applyChange(write, { key: keys[index]!, current: present[index], change, revision });
      } catch (error) {
        throw asRefused(index, error);
      }
    }
    return { revision, table: name };
  });
}

/** The first change bears the refusal of a missing table. */
function tableFor(read: SyncReader, ref: TableRef): TableRecord {
  try {
    return readTableSync(read, ref);
  } catch (error) {
    throw asRefused(0, error);
  }
}

function asRefused(index: number, error: unknown): unknown {
  return error instanceof Refusal ? new ChangeRefused(index, error) : error;
}

function highestOf(entities: readonly (Buffer | undefined)[]): Revision | undefined {
  let highest: Revision | undefined;
  for (const bytes of entities) {
    if (bytes === undefined) continue;
    const revision = revisionOfEntity(bytes);
    if (highest === undefined || revision > highest) highest = revision;
  }
  return highest;
}

function checkTransaction(changes: readonly EntityChange[], bounds: EntityBounds | undefined): void {
  const rows = new Set<string>();
  for (const [index, change] of changes.entries()) {
    const refuse = (refusal: Refusal): never => {
      throw new ChangeRefused(index, refusal);
    };
    if (index >= LIMITS.tableBatchRequestsMax) refuse(tooManyChanges());
    if (change.partitionKey !== changes[0]!.partitionKey)
      refuse(new Refusal("CommandsInBatchActOnDifferentPartitions"));
    if (rows.has(change.rowKey)) refuse(new Refusal("InvalidDuplicateRow"));
    rows.add(change.rowKey);
    try {
      checkChange(change, bounds);
    } catch (error) {
      throw asRefused(index, error);
    }
  }
}

export function tooManyChanges(): Refusal {
  return new Refusal("InvalidInput", {
    text: "The batch request operation exceeds the maximum 100 changes per change set.",
  });
}
