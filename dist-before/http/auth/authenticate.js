import { Refusal } from "../../base/refusals.js";
import { authenticateBearer, isBearer } from "./bearer.js";
import { authenticateAccountSas } from "./sas-account.js";
import { authenticateDelegationSas } from "./sas-delegation.js";
import { authenticateServiceSas } from "./sas-service.js";
import { authenticateSharedKey, sharedKeyScheme } from "./shared-key.js";
/**
 * Who sent the request, as far as it can prove that; what they may do is for `authorize` to say. Throws or rejects
 * with a `Refusal` when a proof is offered and does not hold: a bad signature is never taken for no signature.
 *
 * Most callers are known at once; only a stored access policy has to be waited for.
 *
 * An Authorization header outranks a SAS in the address. A request with neither comes from an anonymous caller.
 */
export function authenticate(request, context) {
    const authorization = request.headers.authorization;
    if (authorization !== undefined) {
        const scheme = sharedKeyScheme(authorization);
        if (scheme !== undefined)
            return authenticateSharedKey(request, context, authorization, scheme);
        if (!isBearer(authorization))
            throw new Refusal("InvalidAuthenticationInfo");
        // A SAS bound to a user comes with a token of that user; alone, the token would grant more than the SAS.
        if (!(request.query.has("sig") && request.query.has("sduoid"))) {
            return authenticateBearer(request, context, authorization);
        }
    }
    if (request.query.has("sig"))
        return authenticateSas(request, context);
    return { kind: "anonymous", account: request.target.account };
}
function authenticateSas(request, context) {
    const { query } = request;
    if (query.has("ss") || query.has("srt"))
        return authenticateAccountSas(request, context);
    if (query.has("skoid"))
        return authenticateDelegationSas(request, context);
    return authenticateServiceSas(request, context);
}
