import type { CacheEntry } from "../caches.ts";
import type { FileOpen } from "../open.ts";
import type { Request } from "../request.ts";
export interface Rights {
    readonly access: number;
    /** Of MAXIMUM_ALLOWED: all that exist, as far as the file allows them. */
    readonly optionalAccess: number;
}
/** The rights an open asks for: the holder of an account key may have all that exist. */
export declare function wantedRights(desired: number): Rights;
export declare function need(open: FileOpen, right: number): void;
/** An open that looks at attributes only disturbs no cache. */
export declare function isStatAccess(access: number): boolean;
/** For leases also reading the security descriptor is only a look. */
export declare function isLeaseStatAccess(access: number): boolean;
export declare function isOwnCache(open: FileOpen): (entry: CacheEntry) => boolean;
/** Before content changes, what others read from their caches goes. */
export declare function breakForWrite(request: Request, open: FileOpen): Promise<void>;
/** Before a file is renamed or removed, others close the handles they only keep. */
export declare function breakForRemoval(request: Request, open: FileOpen): Promise<void>;
