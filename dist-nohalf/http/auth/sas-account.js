import { sasFieldInvalid, sasMismatch } from "./refuse.js";
import { checkOrigin, checkWindow, joinFields, refuseUnsigned, sasField, sasTime, sasVersion, } from "./sas-fields.js";
import { isSigned } from "./verify.js";
/**
 * An account SAS: `ss` says which services, `srt` which types of resource, `sp` what may be done. It begins with
 * the account name and ends with a line feed, unlike every other SAS.
 */
const FIRST_VERSION = "2015-04-05";
const ENCRYPTION_SCOPE_SINCE = "2020-12-06";
const SIGNED = ["account", "sp", "ss", "srt", "st", "se", "sip", "spr", "sv", "end"];
const SIGNED_WITH_SCOPE = [
    "account",
    "sp",
    "ss",
    "srt",
    "st",
    "se",
    "sip",
    "spr",
    "sv",
    "ses",
    "end",
];
export function authenticateAccountSas(request, context) {
    const { query, target } = request;
    const version = sasVersion(query, FIRST_VERSION);
    const signed = version >= ENCRYPTION_SCOPE_SINCE ? SIGNED_WITH_SCOPE : SIGNED;
    const text = joinFields(query, signed, { account: target.account, end: "" });
    const account = context.accounts.find(target.account);
    if (!isSigned(account, text, sasField(query, "sig"), 0))
        throw sasMismatch(text);
    refuseUnsigned(query, signed, context);
    const services = sasField(query, "ss");
    const resourceTypes = sasField(query, "srt");
    const permissions = sasField(query, "sp");
    // Strict on letters: a service SAS whose fields were moved around could not pass as an account SAS.
    if (!/^[bqtf]+$/.test(services))
        throw sasFieldInvalid("ss");
    if (!/^[sco]+$/.test(resourceTypes))
        throw sasFieldInvalid("srt");
    if (!/^[a-z]+$/.test(permissions))
        throw sasFieldInvalid("sp");
    const expiry = sasTime(query, "se");
    if (expiry === undefined)
        throw sasFieldInvalid("se");
    checkWindow({ start: sasTime(query, "st"), expiry }, context.clock.now());
    checkOrigin(request, signed);
    const scope = version >= ENCRYPTION_SCOPE_SINCE ? sasField(query, "ses") : "";
    return {
        kind: "accountSas",
        account: target.account,
        version,
        services,
        resourceTypes,
        permissions,
        encryptionScope: scope === "" ? undefined : scope,
    };
}
