import type { EntityChangeKind } from "../../concurrency/entity-conditions.ts";
import type { Changed, EntityChange } from "../../services/table/change-entity.ts";
import type { TableRef } from "../../services/table/tables.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import type { TableServices } from "./operations.ts";
/** A change as it was addressed and sent: on its own, or as a part of a transaction. */
export interface SentChange {
    readonly ref: TableRef;
    readonly change: EntityChange;
}
/** What a change is read from. */
export type ChangeRequest = Pick<HttpRequest, "target" | "headers" | "query" | "version" | "isSecure">;
/** The handler of one kind of change. */
export declare function changeEntity(kind: EntityChangeKind): (request: HttpRequest, { tables }: TableServices) => Promise<HttpReply>;
export declare function readChange(kind: EntityChangeKind, request: ChangeRequest, body: Buffer): SentChange;
/** The reply to a change that was made. */
export declare function changeReply(request: HttpRequest, change: EntityChange, { revision, table }: Changed): HttpReply;
