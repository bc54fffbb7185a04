import type { TableContext } from "./context.ts";
import { readTable, type TableRef } from "./tables.ts";

/** The name as it was spelled when the table was created. */
export async function getTable({ store }: TableContext, ref: TableRef): Promise<string> {
  const { name } = await store.read((read) => readTable(read, ref, "ResourceNotFound"));
  return name;
}
