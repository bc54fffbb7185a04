import { deletedTableKey, tableAclKey, tableKey } from "../../store/keys/table.ts";
import { keepName } from "../deleted-names.ts";
import type { TableContext } from "./context.ts";
import { readTable, type TableRef } from "./tables.ts";

/** One write, however much the table holds: its entities are reclaimed in the background. */
export async function deleteTable(tables: TableContext, ref: TableRef): Promise<void> {
  await tables.store.write(async (write) => {
    const { id } = await readTable(write, ref, "ResourceNotFound");
    write.delete(tableKey(ref.account, ref.table));
    write.delete(tableAclKey(id));
    write.put(deletedTableKey(id), Buffer.of(1));
    keepName(write, tables, { kind: "table", account: ref.account, name: ref.table.toLowerCase() });
  });
}
