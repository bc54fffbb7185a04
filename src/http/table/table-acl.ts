import { TABLE_LIMITS } from "../../services/table/limits.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { tableOfPath } from "../wire/odata/address.ts";
import { parseSignedIdentifiers, printSignedIdentifiers } from "../wire/signed-identifiers.ts";
import type { TableServices } from "./operations.ts";

/** GET and HEAD /{table}?comp=acl */
export async function getTableAcl({ target }: HttpRequest, { tables }: TableServices): Promise<HttpReply> {
  const policies = await tables.getTableAcl({ account: target.account, table: tableOfPath(target.path) });
  return {
    status: 200,
    headers: { "Content-Type": "application/xml" },
    body: printSignedIdentifiers(policies),
  };
}

const PERMISSIONS = /^[raud]{1,4}$/;

/** PUT /{table}?comp=acl */
export async function setTableAcl(request: HttpRequest, { tables }: TableServices): Promise<HttpReply> {
  const { account, path } = request.target;
  const policies = parseSignedIdentifiers(await request.body.read(TABLE_LIMITS.aclBytesMax), PERMISSIONS);
  await tables.setTableAcl({ account, table: tableOfPath(path) }, policies);
  return { status: 204 };
}
