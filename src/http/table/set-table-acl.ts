import { TABLE_LIMITS } from "../../services/table/limits.ts";
import { setTableAcl } from "../../services/table/set-table-acl.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { tableOfPath } from "../wire/odata/address.ts";
import { parseSignedIdentifiers } from "../wire/signed-identifiers.ts";
import type { TableServices } from "./services.ts";

const PERMISSIONS = /^[raud]{1,4}$/;

/** PUT /{table}?comp=acl */
export async function handleSetTableAcl(request: HttpRequest, { tables }: TableServices): Promise<HttpReply> {
  const { account, path } = request.target;
  const policies = parseSignedIdentifiers(await request.body.read(TABLE_LIMITS.aclBytesMax), PERMISSIONS);
  await setTableAcl(tables, { account, table: tableOfPath(path) }, policies);
  return { status: 204, length: 0 };
}
