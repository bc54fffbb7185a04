import type { HttpReply, HttpRequest } from "../exchange.ts";
import type { TableServices } from "./operations.ts";
/** GET /{table}(PartitionKey='..',RowKey='..') */
export declare function getEntity(request: HttpRequest, { tables }: TableServices): Promise<HttpReply>;
/** GET /{table}() */
export declare function queryEntities(request: HttpRequest, { tables }: TableServices): Promise<HttpReply>;
