import type { EntityKeys } from "../../base/edm.ts";
import type { Key, Range } from "../kv.ts";
import { KeyReader, keyAfter, LastKey, packKey, prefixEnd, prefixRange } from "./pack.ts";

/** A table by its name in lower case, because names are case-insensitive: ("tt", account, name). */
export const tableKey = (account: string, name: string): Key => tableKeys.of(account, name);

const tableKeys = new LastKey((account: string, name: string) =>
  packKey(["tt", account, name.toLowerCase()]),
);

export const ALL_TABLES: Range = prefixRange(packKey(["tt"]));
export const tablesOfAccount = (account: string): Range => prefixRange(packKey(["tt", account]));

/** Stored access policies of a table: ("ta", table). */
export const tableAclKey = (table: bigint): Key => packKey(["ta", table]);

/** Deleted tables whose entities are not reclaimed yet: ("td", table). */
export const deletedTableKey = (table: bigint): Key => packKey(["td", table]);
export const DELETED_TABLES: Range = prefixRange(packKey(["td"]));
export const tableOfDeletedKey = (key: Key): bigint => new KeyReader(key).skipText().whole();

/** Entities of one table; a filter on the keys is a range: ("te", table, PartitionKey, RowKey). */
export const entityKey = (table: bigint, { partitionKey, rowKey }: EntityKeys): Key =>
  packKey(["te", table, partitionKey, rowKey]);
export const entitiesOfTable = (table: bigint): Range => prefixRange(packKey(["te", table]));

export function keysOfEntityKey(key: Key): EntityKeys {
  const reader = new KeyReader(key).skipText().skipWhole();
  return { partitionKey: reader.text(), rowKey: reader.text() };
}

/** One end of a key range, as the protocol gives it. */
export interface KeyBound {
  readonly text: string;
  readonly isInclusive: boolean;
}

/** The first key within the bounds. A row bound applies only to an inclusive partition bound. */
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
