import type { Headers, Query } from "./exchange.ts";
import type { Operation, OperationTable } from "./operation.ts";
/**
 * Finds the row of an operation table that a request means. `restype` and `comp` must be those of the row (or
 * absent, where the row names none); among rows that share them, the one that asks for more wins.
 */
export declare class Router<Services> {
    #private;
    constructor(table: OperationTable<Services>);
    /** On a website nothing but the path says what is meant. */
    findOnWebsite(method: string): Operation<Services>;
    find(method: string, path: string, query: Query, headers: Headers): Operation<Services>;
}
