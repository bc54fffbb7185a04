import { type MaybePromise, then } from "../../base/maybe-promise.ts";
import { Refusal } from "../../base/refusals.ts";
import { deletedTableKey, tableAclKey, tableKey, tablesOfAccount } from "../../store/keys/table.ts";
import type { KeySpace, Reader } from "../../store/kv.ts";
import { RecordDecodeCache } from "../../store/records/remembered.ts";
import { type TableRecord, tableAclRecord, tableRecord } from "../../store/records/table.ts";
import type { StoredPolicy } from "../account/stored-policy.ts";
import type { NewPage, Page } from "../page.ts";
import { checkTableName } from "./entity-rules.ts";
import { meets } from "./filter/evaluate.ts";
import type { Filter } from "./filter/filter.ts";
import { TABLE_LIMITS } from "./limits.ts";

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

export async function createTable(store: KeySpace, { account, table }: TableRef): Promise<void> {
  checkTableName(table);
  const key = tableKey(account, table);
  await store.write(async (write) => {
    if ((await write.get(key)) !== undefined) throw new Refusal("TableAlreadyExists");
    write.put(key, tableRecord.pack({ name: table, id: write.revision() }));
  });
}

/** One write, however much the table holds: its entities are reclaimed in the background. */
export async function deleteTable(store: KeySpace, ref: TableRef): Promise<void> {
  await store.write(async (write) => {
    const { id } = await readTable(write, ref, "ResourceNotFound");
    write.delete(tableKey(ref.account, ref.table));
    write.delete(tableAclKey(id));
    write.put(deletedTableKey(id), Buffer.of(1));
  });
}

/** The name as it was spelled when the table was created. */
export async function getTable(store: KeySpace, ref: TableRef): Promise<string> {
  const { name } = await store.read((read) => readTable(read, ref, "ResourceNotFound"));
  return name;
}

export async function requireTable(store: KeySpace, ref: TableRef): Promise<void> {
  await store.read((read) => readTable(read, ref));
}

export interface QueryTables<P extends Page<string>> {
  readonly account: string;
  readonly newPage: NewPage<string, P>;
  readonly filter?: Filter | undefined;
  /** Of none there is no next page either. */
  readonly top?: number | undefined;
  /** Where the page before ended: the name of the next table. */
  readonly from?: string | undefined;
}

export interface TablePage<P> {
  readonly page: P;
  readonly next?: string;
}

/** In the order of the names in lower case, which is how a filter compares them too. */
export function queryTables<P extends Page<string>>(
  store: KeySpace,
  query: QueryTables<P>,
): Promise<TablePage<P>> {
  const { account, filter, from } = query;
  const all = tablesOfAccount(account);
  const range = from === undefined ? all : { from: tableKey(account, from), to: all.to };
  const wanted = filter === undefined ? undefined : lowered(filter);
  return store.read(async (read) => {
    const page = query.newPage(read.now());
    if (query.top === 0) return { page };
    let scanned = 0;
    for await (const { value } of read.range(range)) {
      const { name } = tableRecord.unpack(value);
      if (page.isFull || scanned === TABLE_LIMITS.scannedEntitiesMax) return { page, next: name };
      scanned++;
      const lower = { type: "String", value: name.toLowerCase() } as const;
      const isWanted =
        wanted === undefined || meets(wanted, (property) => (property === "TableName" ? lower : undefined));
      if (isWanted) page.add(name);
    }
    return { page };
  });
}

/** Table names are case-insensitive, so a filter on them is. */
function lowered(filter: Filter): Filter {
  switch (filter.kind) {
    case "and":
    case "or":
      return { ...filter, operands: filter.operands.map(lowered) };
    case "not":
      return { ...filter, operand: lowered(filter.operand) };
    case "comparison": {
      const { literal } = filter;
      if (literal.type !== "String") return filter;
      return { ...filter, literal: { type: "String", value: literal.value.toLowerCase() } };
    }
    default:
      return filter;
  }
}

export function getTableAcl(store: KeySpace, ref: TableRef): Promise<readonly StoredPolicy[]> {
  return store.read(async (read) => {
    const { id } = await readTable(read, ref, "ResourceNotFound");
    const bytes = await read.get(tableAclKey(id));
    return bytes === undefined ? [] : tableAclRecord.unpack(bytes).policies;
  });
}

/** Replaces the whole list. */
export async function setTableAcl(
  store: KeySpace,
  ref: TableRef,
  policies: readonly StoredPolicy[],
): Promise<void> {
  await store.write(async (write) => {
    const { id } = await readTable(write, ref, "ResourceNotFound");
    if (policies.length === 0) write.delete(tableAclKey(id));
    else write.put(tableAclKey(id), tableAclRecord.pack({ policies }));
  });
}
