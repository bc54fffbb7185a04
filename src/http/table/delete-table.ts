import { deleteTable } from "../../services/table/delete-table.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { parseTableItem } from "../wire/odata/address.ts";
import { COMMON_HEADERS } from "./read-request.ts";
import type { TableServices } from "./services.ts";

/** DELETE /Tables('name') */
export async function handleDeleteTable(
  { target }: HttpRequest,
  { tables }: TableServices,
): Promise<HttpReply> {
  await deleteTable(tables, { account: target.account, table: parseTableItem(target.path) });
  return { status: 204, length: 0, headers: COMMON_HEADERS };
}
