import type { HttpReply, HttpRequest } from "../exchange.ts";
import type { TableServices } from "./operations.ts";
/** GET and HEAD /{table}?comp=acl */
export declare function getTableAcl({ target }: HttpRequest, { tables }: TableServices): Promise<HttpReply>;
/** PUT /{table}?comp=acl */
export declare function setTableAcl(request: HttpRequest, { tables }: TableServices): Promise<HttpReply>;
