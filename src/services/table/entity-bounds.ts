import type { EntityKeys } from "../../base/edm.ts";
import { entityKeyAfter, type KeyBound, lowestEntityKey } from "../../store/keys/table.ts";
import type { Range } from "../../store/kv.ts";
import { compareText } from "../text-order.ts";

/**
 * The part of a table that a SAS reaches: from (startPartition, startRow) to (endPartition, endRow), both
 * included, in the order of the keys. Without a row, the whole partition counts.
 */
export interface EntityBounds {
  readonly startPartition: string | undefined;
  readonly startRow: string | undefined;
  readonly endPartition: string | undefined;
  readonly endRow: string | undefined;
}

export function isWithin(bounds: EntityBounds, { partitionKey, rowKey }: EntityKeys): boolean {
  const { startPartition, startRow, endPartition, endRow } = bounds;
  if (startPartition !== undefined) {
    const order = compareText(partitionKey, startPartition);
    if (order < 0) return false;
    if (order === 0 && startRow !== undefined && compareText(rowKey, startRow) < 0) return false;
  }
  if (endPartition !== undefined) {
    const order = compareText(partitionKey, endPartition);
    if (order > 0) return false;
    if (order === 0 && endRow !== undefined && compareText(rowKey, endRow) > 0) return false;
  }
  return true;
}

/** The same as keys of the store. */
export function rangeOfBounds(table: bigint, bounds: EntityBounds): Range {
  const { startPartition, startRow, endPartition, endRow } = bounds;
  return {
    from: lowestEntityKey(table, included(startPartition), included(startRow)),
    to: entityKeyAfter(table, included(endPartition), included(endRow)),
  };
}

function included(text: string | undefined): KeyBound | undefined {
  return text === undefined ? undefined : { text, isInclusive: true };
}
