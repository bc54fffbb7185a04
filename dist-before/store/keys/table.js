import { KeyReader, keyAfter, packKey, prefixEnd, prefixRange } from "./pack.js";
/** A table by its name in lower case: ("tt", account, name). Names are case-insensitive, spelling is kept inside. */
export function tableKey(account, name) {
    return packKey(["tt", account, name.toLowerCase()]);
}
export function tablesOfAccount(account) {
    return prefixRange(packKey(["tt", account]));
}
/** Stored access policies of a table: ("ta", table). */
export function tableAclKey(table) {
    return packKey(["ta", table]);
}
/** Tables that were deleted and whose entities are still to be reclaimed: ("td", table). */
export function deletedTableKey(table) {
    return packKey(["td", table]);
}
export const DELETED_TABLES = prefixRange(packKey(["td"]));
export function tableOfDeletedKey(key) {
    return new KeyReader(key).skipText().whole();
}
/**
 * Entities of one table, partition by partition, row by row: ("te", table, PartitionKey, RowKey). A filter that
 * bounds the keys is a range of these.
 */
export function entityKey(table, { partitionKey, rowKey }) {
    return packKey(["te", table, partitionKey, rowKey]);
}
export function entitiesOfTable(table) {
    return prefixRange(packKey(["te", table]));
}
export function keysOfEntityKey(key) {
    const reader = new KeyReader(key).skipText().skipWhole();
    return { partitionKey: reader.text(), rowKey: reader.text() };
}
/** Keys at or above the bounds. A row bound counts within the partition of an inclusive partition bound. */
export function lowestEntityKey(table, partition, row) {
    if (partition === undefined)
        return packKey(["te", table]);
    const start = packKey(["te", table, partition.text]);
    if (!partition.isInclusive)
        return prefixEnd(start);
    if (row === undefined)
        return start;
    const key = packKey(["te", table, partition.text, row.text]);
    return row.isInclusive ? key : keyAfter(key);
}
/** The first key past the bounds. */
export function entityKeyPast(table, partition, row) {
    if (partition === undefined)
        return prefixEnd(packKey(["te", table]));
    const start = packKey(["te", table, partition.text]);
    if (!partition.isInclusive)
        return start;
    if (row === undefined)
        return prefixEnd(start);
    const key = packKey(["te", table, partition.text, row.text]);
    return row.isInclusive ? keyAfter(key) : key;
}
