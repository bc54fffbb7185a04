import type { StoredPolicy } from "../account/stored-policy.ts";
import type { ServiceParts } from "../parts.ts";
import type { Chore } from "../reclaim/chores.ts";
export interface BlobServiceOptions {
    /** Every overwrite, metadata change and deletion leaves a version behind. */
    readonly isVersioned?: boolean;
}
/**
 * The Blob service: what its operations mean. Each operation is a function of its own, in a file named as the
 * protocol names it, and takes this as its first argument.
 */
export declare class BlobService {
    readonly parts: ServiceParts;
    readonly isVersioned: boolean;
    constructor(parts: ServiceParts, options?: BlobServiceOptions);
    /** Stored access policies of a container; undefined when there is no such container. */
    policies(account: string, container: string): Promise<readonly StoredPolicy[] | undefined>;
    /** What anonymous callers may read of a container. */
    publicAccess(account: string, container: string): Promise<"none" | "blob" | "container">;
    /** Its work in the background. */
    chores(): readonly Chore[];
}
