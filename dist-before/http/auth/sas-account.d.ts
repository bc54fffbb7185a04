import type { AccountSasCaller } from "./caller.ts";
import type { AuthContext, Unauthenticated } from "./context.ts";
export declare function authenticateAccountSas(request: Unauthenticated, context: AuthContext): AccountSasCaller;
