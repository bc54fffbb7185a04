import type { Caller } from "./caller.ts";
import type { AuthContext, Unauthenticated } from "./context.ts";
export type { AuthContext, PolicyLookup, PublicAccessLookup, Unauthenticated } from "./context.ts";
/**
 * Who sent the request, as far as it can prove that; what they may do is for `authorize` to say. Throws or rejects
 * with a `Refusal` when a proof is offered and does not hold: a bad signature is never taken for no signature.
 *
 * Most callers are known at once; only a stored access policy has to be waited for.
 *
 * An Authorization header outranks a SAS in the address. A request with neither comes from an anonymous caller.
 */
export declare function authenticate(request: Unauthenticated, context: AuthContext): Caller | Promise<Caller>;
