import { Refusal } from "../../base/refusals.ts";
import { tableKey } from "../../store/keys/table.ts";
import { tableRecord } from "../../store/records/table.ts";
import { checkName } from "../deleted-names.ts";
import type { TableContext } from "./context.ts";
import { checkTableName } from "./entity-rules.ts";
import type { TableRef } from "./tables.ts";

export async function createTable(tables: TableContext, { account, table }: TableRef): Promise<void> {
  checkTableName(table);
  const key = tableKey(account, table);
  await tables.store.write(async (write) => {
    if ((await write.get(key)) !== undefined) throw new Refusal("TableAlreadyExists");
    await checkName(write, tables, { kind: "table", account, name: table.toLowerCase() });
    write.put(key, tableRecord.pack({ name: table, id: write.revision() }));
  });
}
