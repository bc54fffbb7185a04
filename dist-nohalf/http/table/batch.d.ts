import type { EntityChangeKind } from "../../concurrency/entity-conditions.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import type { Operation } from "../operation.ts";
import type { TableServices } from "./operations.ts";
/** A row of the operation table that a part may be; `change` says which kind of change it makes. */
export interface EntityOperation extends Operation<TableServices> {
    readonly change?: EntityChangeKind;
}
/**
 * POST /$batch: one change set, or one query. The caller is known by the outer request; what it may do is asked for
 * each part. A refused part is the whole answer: nothing of the change set was kept.
 */
export declare function batchHandler(rows: readonly EntityOperation[]): (request: HttpRequest, services: TableServices) => Promise<HttpReply>;
