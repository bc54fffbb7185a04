import { type LeaseAction, type LeaseResult } from "../lease-action.ts";
import type { FileService } from "./file-service.ts";
import type { PathRef, SnapshotRef } from "./names.ts";
/**
 * A file's lease never ends by itself. While it is held, SMB clients can open the file for reading only; to get it,
 * no SMB client may have it open for more. No lease action changes an ETag or a time.
 */
export declare function leaseFile(files: FileService, { ref, lease: action }: {
    readonly ref: PathRef;
    readonly lease: LeaseAction;
}): Promise<LeaseResult>;
/** A share and each of its snapshots have leases of their own. */
export declare function leaseShare(files: FileService, { ref, lease: action }: {
    readonly ref: SnapshotRef;
    readonly lease: LeaseAction;
}): Promise<LeaseResult>;
