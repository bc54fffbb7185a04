import { getTable } from "../../services/table/get-table.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { parseTableItem } from "../wire/odata/address.ts";
import { jsonHeaders, levelOf } from "./read-request.ts";
import type { TableServices } from "./services.ts";
import { printTable } from "./table-json.ts";

/** GET /Tables('name') */
export async function handleGetTable(request: HttpRequest, { tables }: TableServices): Promise<HttpReply> {
  const { account, path } = request.target;
  const level = levelOf(request);
  const name = await getTable(tables, { account, table: parseTableItem(path) });
  return { status: 200, headers: jsonHeaders(level), body: printTable(level, request, name) };
}
