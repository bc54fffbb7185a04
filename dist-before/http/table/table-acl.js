import { TABLE_LIMITS } from "../../base/limits-table.js";
import { tableOfPath } from "../wire/odata/address.js";
import { parseSignedIdentifiers, printSignedIdentifiers } from "../wire/signed-identifiers.js";
/** GET and HEAD /{table}?comp=acl */
export async function getTableAcl({ target }, { tables }) {
    const policies = await tables.getTableAcl({ account: target.account, table: tableOfPath(target.path) });
    return {
        status: 200,
        headers: { "Content-Type": "application/xml" },
        body: printSignedIdentifiers(policies),
    };
}
/** PUT /{table}?comp=acl */
export async function setTableAcl(request, { tables }) {
    const { account, path } = request.target;
    const policies = parseSignedIdentifiers(await request.body.read(TABLE_LIMITS.aclBytesMax));
    await tables.setTableAcl({ account, table: tableOfPath(path) }, policies);
    return { status: 204 };
}
