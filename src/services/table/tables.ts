import { Refusal } from "../../base/refusals.ts";
import { tableKey } from "../../store/keys/table.ts";
import type { MaybePromise, Reader, SyncReader } from "../../store/kv.ts";
import { RecordDecodeCache } from "../../store/records/record-decode-cache.ts";
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
export function readTableSync(
  read: SyncReader,
  { account, table }: TableRef,
  missing: "TableNotFound" | "ResourceNotFound" = "TableNotFound",
): TableRecord {
  const key = tableKey(account, table);
  const bytes = read.get(key);
  if (bytes !== undefined) return tables.unpack(key, bytes);
  // A name that no table can have gets a refusal of its own.
  checkTableName(table);
  throw new Refusal(missing);
}

export function readTable(
  read: Reader,
  ref: TableRef,
  missing?: "TableNotFound" | "ResourceNotFound",
): MaybePromise<TableRecord> {
  return read.view((records) => readTableSync(records, ref, missing));
}

/** Throws TableNotFound when there is none of that name. */
export async function requireTable({ store }: TableContext, ref: TableRef): Promise<void> {
  await store.read((read) => readTable(read, ref));
}
