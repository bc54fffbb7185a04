import type { Query } from "../exchange.ts";
import type { ServiceSasCaller, TableBounds } from "./caller.ts";
import type { AuthContext, Unauthenticated } from "./context.ts";
export declare const OVERRIDE_FIELDS: readonly ["rscc", "rscd", "rsce", "rscl", "rsct"];
export declare const BOUND_FIELDS: readonly ["spk", "srk", "epk", "erk"];
export declare function authenticateServiceSas(request: Unauthenticated, context: AuthContext): ServiceSasCaller | Promise<ServiceSasCaller>;
/**
 * An empty bound counts as none: both sign alike, so a client could turn one into the other. A row bound means
 * nothing without its partition bound.
 */
export declare function tableBounds(query: Query): TableBounds | undefined;
