import { HmacKey } from "../../base/hmac.js";
export const SERVICE_LETTERS = {
    blob: "b",
    queue: "q",
    table: "t",
    file: "f",
};
const PURPOSE = "holdfast user delegation key, 1";
/** The `Value` of Get User Delegation Key. Print `SignedStart` and `SignedExpiry` in whole seconds next to it. */
export function delegationKeyValue(account, fields) {
    return delegationKeyOf(account.rawKeys[0], fields).toString("base64");
}
/**
 * Two steps, because the result is handed out: were it an HMAC under the account key itself, a caller who can
 * choose the fields might have the server sign a text that is also a SAS. JSON keeps the fields apart.
 */
export function delegationKeyOf(accountKey, fields) {
    const purposeKey = new HmacKey(new HmacKey(accountKey).sign(PURPOSE));
    return purposeKey.sign(JSON.stringify([
        fields.objectId,
        fields.tenantId,
        Math.floor(fields.start / 1_000),
        Math.floor(fields.expiry / 1_000),
        fields.service,
        fields.version,
        fields.delegatedTenantId ?? "",
    ]));
}
