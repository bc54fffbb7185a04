import type { Instant } from "../base/clock.ts";
import type { RefusalCode } from "../base/refusals.ts";
import { type Lease } from "./lease.ts";
/**
 * Leases of files and shares: the states of lease.ts with the codes of the File service. A share answers with the
 * codes of containers, as it does on Azure; a file has its own.
 */
export declare function checkFileRead(lease: Lease, id: string | undefined, now: Instant): RefusalCode | undefined;
export declare function checkFileWrite(lease: Lease, id: string | undefined, now: Instant): RefusalCode | undefined;
/** A share's lease keeps it from being deleted; an id sent along with another operation must be the right one. */
export declare function checkShareUse(lease: Lease, id: string | undefined, now: Instant, use: "delete" | "other"): RefusalCode | undefined;
