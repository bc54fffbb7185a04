import { tableKey, tablesOfAccount } from "../../store/keys/table.ts";
import { tableRecord } from "../../store/records/table.ts";
import type { NewPage, Page } from "../page.ts";
import type { TableContext } from "./context.ts";
import { meets } from "./filter/evaluate.ts";
import type { Filter } from "./filter/filter.ts";
import { TABLE_LIMITS } from "./limits.ts";

export interface QueryTables<P extends Page<string>> {
  readonly account: string;
  readonly newPage: NewPage<string, P>;
  readonly filter?: Filter | undefined;
  /** With a top of 0 there is no next page either. */
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
  { store }: TableContext,
  query: QueryTables<P>,
): Promise<TablePage<P>> {
  const { account, filter, from } = query;
  const all = tablesOfAccount(account);
  const range = from === undefined ? all : { from: tableKey(account, from), to: all.to };
  const loweredFilter = filter === undefined ? undefined : lowered(filter);
  return store.read(async (read) => {
    const page = query.newPage(read.now());
    if (query.top === 0) return { page };
    let scanned = 0;
    for await (const { value } of read.range(range)) {
      const { name } = tableRecord.unpack(value);
      if (page.isFull || scanned === TABLE_LIMITS.scannedEntitiesMax) return { page, next: name };
      scanned++;
      const lower = { type: "String", value: name.toLowerCase() } as const;
      const isMatch =
        loweredFilter === undefined ||
        meets(loweredFilter, (property) => (property === "TableName" ? lower : undefined));
      if (isMatch) page.add(name);
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
