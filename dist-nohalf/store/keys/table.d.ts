import type { EntityKeys } from "../../base/edm.ts";
import type { Key, Range } from "../kv.ts";
/** A table by its name in lower case: ("tt", account, name). Names are case-insensitive, spelling is kept inside. */
export declare function tableKey(account: string, name: string): Key;
export declare function tablesOfAccount(account: string): Range;
/** Stored access policies of a table: ("ta", table). */
export declare function tableAclKey(table: bigint): Key;
/** Tables that were deleted and whose entities are still to be reclaimed: ("td", table). */
export declare function deletedTableKey(table: bigint): Key;
export declare const DELETED_TABLES: Range;
export declare function tableOfDeletedKey(key: Key): bigint;
/**
 * Entities of one table, partition by partition, row by row: ("te", table, PartitionKey, RowKey). A filter that
 * bounds the keys is a range of these.
 */
export declare function entityKey(table: bigint, { partitionKey, rowKey }: EntityKeys): Key;
export declare function entitiesOfTable(table: bigint): Range;
export declare function keysOfEntityKey(key: Key): EntityKeys;
/** One end of a key range, in the protocol's words. */
export interface KeyBound {
    readonly text: string;
    readonly isInclusive: boolean;
}
/** Keys at or above the bounds. A row bound counts within the partition of an inclusive partition bound. */
export declare function lowestEntityKey(table: bigint, partition: KeyBound | undefined, row: KeyBound | undefined): Key;
/** The first key past the bounds. */
export declare function entityKeyPast(table: bigint, partition: KeyBound | undefined, row: KeyBound | undefined): Key;
