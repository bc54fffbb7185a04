import type { Caller } from "./caller.ts";
import type { AuthContext, Unauthenticated } from "./context.ts";
type Scheme = "full" | "lite";
/** undefined when the Authorization header is of another kind. */
export declare function sharedKeyScheme(authorization: string): Scheme | undefined;
export declare function authenticateSharedKey(request: Unauthenticated, context: AuthContext, authorization: string, scheme: Scheme): Caller;
export {};
