import type { Instant } from "../../base/clock.ts";
import { type Revision } from "../../base/revision.ts";
import { type Lease } from "../../concurrency/lease.ts";
/** Headers many replies share. */
export declare const XML: {
    readonly "Content-Type": "application/xml";
};
export declare function stamp(revision: Revision): Record<string, string>;
export declare function leaseHeaders(lease: Lease | undefined, now: Instant): Record<string, string | undefined>;
export declare function versionHeader(version: Revision | undefined): Record<string, string>;
