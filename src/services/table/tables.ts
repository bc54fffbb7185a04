import { type MaybePromise, then } from "../../base/maybe-promise.ts";
import { Refusal } from "../../base/refusals.ts";
import { tableKey } from "../../store/keys/table.ts";
import type { Reader } from "../../store/kv.ts";
import { RecordDecodeCache } from "../../store/records/remembered.ts";
import { type TableRecord, tableRecord } from "../../store/records/table.ts";
import type { TableContext } from "./context.ts";
import { checkTableName } from "./entity-rules.ts";

/** A table by its name, in any spelling. */
export interface TableRef {
  readonly account: string;
  readonly table: string;
}

const tables = new RecordDecodeCache(tableRecord.unpack);

/** The record of a table; the refusal that fits when there is none. */
export function readTable(
  read: Reader,
  { account, table }: TableRef,
  missing: "TableNotFound" | "ResourceNotFound" = "TableNotFound",
): MaybePromise<TableRecord> {
  const key = tableKey(account, table);
  return then(read.get(key), (bytes) => {
    if (bytes !== undefined) return tables.unpack(key, bytes);
    // A name no table can have is told apart from one that no table has.
    checkTableName(table);
    throw new Refusal(missing);
  });
}

/** Throws TableNotFound when there is none of that name. */
export async function requireTable({ store }: TableContext, ref: TableRef): Promise<void> {
  await store.read((read) => readTable(read, ref));
}
