import { tableAclKey } from "../../store/keys/table.ts";
import { tableAclRecord } from "../../store/records/table.ts";
import type { StoredPolicy } from "../account/stored-policy.ts";
import type { TableContext } from "./context.ts";
import { readTable, type TableRef } from "./tables.ts";

/** Replaces the whole list. */
export async function setTableAcl(
  { store }: TableContext,
  ref: TableRef,
  policies: readonly StoredPolicy[],
): Promise<void> {
  await store.write(async (write) => {
    const { id } = await readTable(write, ref, "ResourceNotFound");
    if (policies.length === 0) write.delete(tableAclKey(id));
    else write.put(tableAclKey(id), tableAclRecord.pack({ policies }));
  });
}
