import type { Random } from "../../base/random.ts";
import type { LeaseAction, LeaseResult } from "../../services/lease-action.ts";
import type { Headers, HttpReply, HttpRequest } from "../exchange.ts";
import type { ConditionHeader, Permission } from "../operation.ts";
import { type BlobRow, type BlobServices } from "./rows.ts";
/** Lease Container and Lease Blob: one set of headers, five actions. */
declare const ACTIONS: readonly ["acquire", "renew", "change", "release", "break"];
type ActionName = (typeof ACTIONS)[number];
export declare function readLeaseAction(action: ActionName, headers: Headers, random: Random): LeaseAction;
export declare function leaseReply(action: ActionName, { revision, lease, secondsLeft }: LeaseResult): HttpReply;
/** One row for each action, and one that says what is wrong with a request that names none of them. */
export declare function leaseRows(what: "Blob" | "Container", options: {
    readonly query: Readonly<Record<string, string>>;
    readonly permission: Permission;
    readonly conditions: readonly ConditionHeader[];
    readonly handle: (action: ActionName, request: HttpRequest, services: BlobServices) => Promise<HttpReply>;
}): BlobRow[];
export declare const BLOB_LEASE_ROWS: readonly BlobRow[];
export declare const CONTAINER_LEASE_ROWS: readonly BlobRow[];
export {};
