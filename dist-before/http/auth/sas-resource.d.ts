import type { ServiceName } from "../exchange.ts";
import type { ServiceSasCaller } from "./caller.ts";
import type { Unauthenticated } from "./context.ts";
/**
 * What a service SAS or user delegation SAS is for. The path it names is taken from the request, at the depth its
 * `sr` says; when that is not the path it was made for, the signature does not match.
 */
export interface SasResource {
    readonly resource: ServiceSasCaller["resource"];
    /** One path, or for the short addresses of the root container the two it may stand for. */
    readonly paths: readonly string[];
    readonly snapshot: string | undefined;
}
export declare function sasResource(request: Unauthenticated, version: string): SasResource;
export declare function canonicalResource(service: ServiceName, account: string, path: string, version: string): string;
