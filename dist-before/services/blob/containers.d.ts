import { type RefusalCode } from "../../base/refusals.ts";
import { type Conditions } from "../../concurrency/conditions.ts";
import { type Lease } from "../../concurrency/lease.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import { type ContainerRecord } from "../../store/records/blob.ts";
import type { ContainerRef } from "./names.ts";
export declare function findContainer(read: Reader, ref: ContainerRef): Promise<ContainerRecord | undefined>;
/** Without a call in between: this is the first step of every request for a blob. */
export declare function readContainer(read: Reader, ref: ContainerRef): Promise<ContainerRecord>;
export declare function putContainer(write: Writer, ref: ContainerRef, record: ContainerRecord): void;
export declare function throwIf(code: RefusalCode | undefined): void;
export interface Guards {
    readonly conditions: Conditions;
    readonly leaseId: string | undefined;
}
/**
 * A container's lease reserves its deletion and nothing else; an id that is sent along with another operation
 * must still be the right one. The lease is looked at before the conditions, as on blobs.
 */
export declare function checkContainer(read: Reader, container: ContainerRecord, { conditions, leaseId }: Guards, use: "delete" | "other"): void;
export declare function leaseOf(record: {
    readonly lease?: Lease;
}): Lease;
/** The record with its lease as given: an available one is not stored. */
export declare function withLease<T extends {
    readonly lease?: Lease;
}>(record: T, lease: Lease): T;
