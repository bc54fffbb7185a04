import { getTableAcl } from "../../services/table/get-table-acl.ts";
import { XML } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { tableOfPath } from "../wire/odata/address.ts";
import { printSignedIdentifiers } from "../wire/signed-identifiers.ts";
import type { TableServices } from "./services.ts";

/** GET and HEAD /{table}?comp=acl */
export async function handleGetTableAcl(
  { target }: HttpRequest,
  { tables }: TableServices,
): Promise<HttpReply> {
  const policies = await getTableAcl(tables, { account: target.account, table: tableOfPath(target.path) });
  return {
    status: 200,
    headers: XML,
    body: printSignedIdentifiers(policies),
  };
}
