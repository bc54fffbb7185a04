import type { ServiceSasCaller } from "./caller.ts";
import type { AuthContext, Unauthenticated } from "./context.ts";
export declare function authenticateDelegationSas(request: Unauthenticated, context: AuthContext): ServiceSasCaller;
