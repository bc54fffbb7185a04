import { deletedTableKey, tableAclKey, tableKey } from "../../store/keys/table.ts";
import type { TableContext } from "./context.ts";
import { readTable, type TableRef } from "./tables.ts";

/** One write, however much the table holds: its entities are reclaimed in the background. */
export async function deleteTable({ store }: TableContext, ref: TableRef): Promise<void> {
  await store.write(async (write) => {
    const { id } = await readTable(write, ref, "ResourceNotFound");
    write.delete(tableKey(ref.account, ref.table));
    write.delete(tableAclKey(id));
    write.put(deletedTableKey(id), Buffer.of(1));
  });
}
