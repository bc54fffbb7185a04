import type { Instant } from "../../base/clock.ts";
/** A stored access policy, as Set ACL keeps it. Each field may be left to the SAS. */
export interface StoredPolicy {
    readonly id: string;
    readonly start: Instant | undefined;
    readonly expiry: Instant | undefined;
    readonly permissions: string | undefined;
}
