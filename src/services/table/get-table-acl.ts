import { Refusal } from "../../base/refusals.ts";
import { tableAclKey } from "../../store/keys/table.ts";
import { tableAclRecord } from "../../store/records/table.ts";
import type { StoredPolicy } from "../account/stored-policy.ts";
import type { TableContext } from "./context.ts";
import { readTable, type TableRef } from "./tables.ts";

export function getTableAcl({ store }: TableContext, ref: TableRef): Promise<readonly StoredPolicy[]> {
  return store.read(async (read) => {
    const { id } = await readTable(read, ref, "ResourceNotFound");
    const bytes = await read.get(tableAclKey(id));
    return bytes === undefined ? [] : tableAclRecord.unpack(bytes).policies;
  });
}

/** Undefined when there is no such table. */
export async function findTablePolicies(
  context: TableContext,
  ref: TableRef,
): Promise<readonly StoredPolicy[] | undefined> {
  try {
    return await getTableAcl(context, ref);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
