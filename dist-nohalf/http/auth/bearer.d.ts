import type { Caller } from "./caller.ts";
import type { AuthContext, Unauthenticated } from "./context.ts";
/**
 * Bearer tokens under `--oauth basic`: structure, times, issuer and audience of the token are checked, its
 * signature is not. That lets code written for Entra ID run against a test server; it keeps nobody out, so it is
 * off unless asked for, and tokens are never taken over plain HTTP, where others could read them.
 */
export interface BearerClaims {
    readonly objectId: string;
    readonly tenantId: string;
}
export declare function isBearer(authorization: string): boolean;
export declare function authenticateBearer(request: Unauthenticated, context: AuthContext, authorization: string): Caller;
export declare function readBearer(request: Unauthenticated, context: AuthContext, authorization: string): BearerClaims;
