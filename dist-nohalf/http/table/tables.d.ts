import type { HttpReply, HttpRequest } from "../exchange.ts";
import type { TableServices } from "./operations.ts";
/** GET /Tables */
export declare function queryTables(request: HttpRequest, { tables }: TableServices): Promise<HttpReply>;
/** GET /Tables('name') */
export declare function getTable(request: HttpRequest, { tables }: TableServices): Promise<HttpReply>;
/** POST /Tables */
export declare function createTable(request: HttpRequest, { tables }: TableServices): Promise<HttpReply>;
/** DELETE /Tables('name') */
export declare function deleteTable({ target }: HttpRequest, { tables }: TableServices): Promise<HttpReply>;
