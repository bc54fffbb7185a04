import { Refusal } from "../../base/refusals.ts";
import { authenticateBearer, isBearer } from "./bearer.ts";
import type { Caller } from "./caller.ts";
import type { AuthContext, Unauthenticated } from "./context.ts";
import { refuseRepeated } from "./repeated.ts";
import { authenticateAccountSas } from "./sas-account.ts";
import { authenticateDelegationSas } from "./sas-delegation.ts";
import { authenticateServiceSas } from "./sas-service.ts";
import { authenticateSharedKey, sharedKeyScheme } from "./shared-key.ts";

export type { AuthContext, PolicyLookup, PublicAccessLookup, Unauthenticated } from "./context.ts";

/**
 * Who sent the request, as far as it can prove that; what they may do is for `authorize` to say. Throws or rejects
 * with a `Refusal` when a proof is offered and does not hold: a bad signature is never taken for no signature.
 *
 * Most callers are known at once; only a stored access policy has to be waited for.
 *
 * A parameter of the address that decides anything is refused when it comes twice, before anything else is asked.
 *
 * An Authorization header outranks a SAS in the address. A request with neither comes from an anonymous caller.
 */
export function authenticate(request: Unauthenticated, context: AuthContext): Caller | Promise<Caller> {
  if (request.query.repeated !== undefined) refuseRepeated(request, request.query.repeated);
  const authorization = request.headers.authorization;
  if (authorization !== undefined) {
    const scheme = sharedKeyScheme(authorization);
    if (scheme !== undefined) return authenticateSharedKey(request, context, authorization, scheme);
    if (!isBearer(authorization)) throw new Refusal("InvalidAuthenticationInfo");
    // A SAS bound to a user comes with a token of that user; alone, the token would grant more than the SAS.
    if (!(request.query.has("sig") && request.query.has("sduoid"))) {
      return authenticateBearer(request, context, authorization);
    }
  }
  if (request.query.has("sig")) return authenticateSas(request, context);
  return { kind: "anonymous", account: request.target.account };
}

function authenticateSas(request: Unauthenticated, context: AuthContext): Caller | Promise<Caller> {
  const { query } = request;
  if (query.has("ss") || query.has("srt")) return authenticateAccountSas(request, context);
  if (query.has("skoid")) return authenticateDelegationSas(request, context);
  return authenticateServiceSas(request, context);
}
