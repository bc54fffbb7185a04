import type { EntityKeys } from "../../base/edm.ts";
import type { Key, Range } from "../kv.ts";
import { KeyReader, keyAfter, packKey, prefixEnd, prefixRange } from "./pack.ts";

/** A table by its name in lower case: ("tt", account, name). Names are case-insensitive, spelling is kept inside. */
export function tableKey(account: string, name: string): Key {
  const last = lastTable;
  if (last?.name === name && last.account === account) return last.key;
  const key = packKey(["tt", account, name.toLowerCase()]);
  lastTable = { account, name, key };
  return key;
}

/** The key that was made last: a client stays with one table for a while. */
let lastTable: { readonly account: string; readonly name: string; readonly key: Key } | undefined;

export function tablesOfAccount(account: string): Range {
  return prefixRange(packKey(["tt", account]));
}

/** Stored access policies of a table: ("ta", table). */
export function tableAclKey(table: bigint): Key {
  return packKey(["ta", table]);
}

/** Tables that were deleted and whose entities are still to be reclaimed: ("td", table). */
export function deletedTableKey(table: bigint): Key {
  return packKey(["td", table]);
}

export const DELETED_TABLES: Range = prefixRange(packKey(["td"]));

export function tableOfDeletedKey(key: Key): bigint {
  return new KeyReader(key).skipText().whole();
}

/**
 * Entities of one table, partition by partition, row by row: ("te", table, PartitionKey, RowKey). A filter that
 * bounds the keys is a range of these.
 */
export function entityKey(table: bigint, { partitionKey, rowKey }: EntityKeys): Key {
  return packKey(["te", table, partitionKey, rowKey]);
}

export function entitiesOfTable(table: bigint): Range {
  return prefixRange(packKey(["te", table]));
}

export function keysOfEntityKey(key: Key): EntityKeys {
  const reader = new KeyReader(key).skipText().skipWhole();
  return { partitionKey: reader.text(), rowKey: reader.text() };
}

/** One end of a key range, in the protocol's words. */
export interface KeyBound {
  readonly text: string;
  readonly isInclusive: boolean;
}

/** Keys at or above the bounds. A row bound counts within the partition of an inclusive partition bound. */
export function lowestEntityKey(
  table: bigint,
  partition: KeyBound | undefined,
  row: KeyBound | undefined,
): Key {
  if (partition === undefined) return packKey(["te", table]);
  const start = packKey(["te", table, partition.text]);
  if (!partition.isInclusive) return prefixEnd(start);
  if (row === undefined) return start;
  const key = packKey(["te", table, partition.text, row.text]);
  return row.isInclusive ? key : keyAfter(key);
}

/** The first key past the bounds. */
export function entityKeyAfter(
  table: bigint,
  partition: KeyBound | undefined,
  row: KeyBound | undefined,
): Key {
  if (partition === undefined) return prefixEnd(packKey(["te", table]));
  const start = packKey(["te", table, partition.text]);
  if (!partition.isInclusive) return start;
  if (row === undefined) return prefixEnd(start);
  const key = packKey(["te", table, partition.text, row.text]);
  return row.isInclusive ? keyAfter(key) : key;
}
