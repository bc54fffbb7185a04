import { badQuery, Refusal } from "../../base/refusals.ts";
import { isSasParameter } from "../query.ts";
import { authenticateBearer, isBearer } from "./bearer.ts";
import type { Caller } from "./caller.ts";
import type { AuthContext, Unauthenticated } from "./context.ts";
import { authenticationFailed } from "./refuse.ts";
import { authenticateAccountSas } from "./sas-account.ts";
import { authenticateDelegationSas } from "./sas-delegation.ts";
import { authenticateServiceSas } from "./sas-service.ts";
import { authenticateSharedKey, sharedKeyScheme } from "./shared-key.ts";

export type { AuthContext, Unauthenticated } from "./context.ts";

/**
 * The caller, as far as the request proves it; `authorize` decides what it may do. Throws or rejects with a
 * `Refusal` when a proof is offered and does not hold: a bad signature never counts as no signature. Only a
 * stored access policy makes it return a promise.
 *
 * A repeated parameter that decides anything is refused first. An Authorization header outranks a SAS in the
 * address. A request with neither comes from an anonymous caller.
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

/**
 * A repeated field of a SAS proves nothing. Without a signature those names mean nothing, and on a website
 * only the path has a meaning.
 */
export function refuseRepeated(
  { query, target }: Pick<Unauthenticated, "query" | "target">,
  names: readonly string[],
): void {
  if (target.isWebsite === true) return;
  for (const name of names) {
    if (!isSasParameter(name)) {
      throw badQuery(name, query.get(name) ?? "", `The query parameter ${name} is given more than once.`);
    }
    if (query.has("sig")) throw authenticationFailed(`The SAS field ${name} is given more than once.`);
  }
}
