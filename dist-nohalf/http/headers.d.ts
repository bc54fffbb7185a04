import type { IncomingMessage } from "node:http";
import type { Headers } from "./exchange.ts";
/**
 * Node has made an object of the headers already, but it keeps only the first of some that repeat. When no name
 * repeats, its object says it all.
 */
export declare function readHeaders({ rawHeaders, headers, }: Pick<IncomingMessage, "rawHeaders" | "headers">): Headers;
