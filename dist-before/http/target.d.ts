import type { Query, ServiceName, Target } from "./exchange.ts";
export interface Address {
    readonly target: Target;
    readonly query: Query;
}
export declare function readAddress(url: string, host: string | undefined, service: ServiceName, isHostStyleAllowed: boolean): Address;
export declare function readQuery(text: string): Query;
