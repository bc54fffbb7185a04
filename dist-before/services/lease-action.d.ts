import type { Instant, Millis } from "../base/clock.ts";
import type { Revision } from "../base/revision.ts";
import { type Lease } from "../concurrency/lease.ts";
/** What a client asks of a lease: of a blob, a container, a file or a share. */
export type LeaseAction = {
    readonly action: "acquire";
    readonly id: string;
    readonly isProposed: boolean;
    readonly length: Millis | "infinite";
} | {
    readonly action: "renew";
    readonly id: string;
} | {
    readonly action: "change";
    readonly held: string;
    readonly proposed: string;
} | {
    readonly action: "release";
    readonly id: string;
} | {
    readonly action: "break";
    readonly period: Millis | undefined;
};
export interface LeaseResult {
    readonly revision: Revision;
    readonly lease: Lease;
    /** Of a break: whole seconds until it is over. */
    readonly secondsLeft: number;
}
export declare function applyLeaseAction(stored: Lease, request: LeaseAction, now: Instant): Omit<LeaseResult, "revision">;
