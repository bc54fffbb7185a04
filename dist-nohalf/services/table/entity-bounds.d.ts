import type { EntityKeys } from "../../base/edm.ts";
import type { Range } from "../../store/kv.ts";
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
export declare function isWithin(bounds: EntityBounds, { partitionKey, rowKey }: EntityKeys): boolean;
/** The same as keys of the store. */
export declare function rangeOfBounds(table: bigint, bounds: EntityBounds): Range;
