import { etagOf } from "../../base/revision.ts";
import type { Writer } from "../../store/kv.ts";
import { type ShareRecord } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import { type ShareRef } from "./names.ts";
import type { GuardedShare } from "./share-properties.ts";
/**
 * One write, whatever the share holds: the name goes, and its contents with it, since they are found through its
 * id. While deleted shares are kept, share and contents wait instead, and can be had back.
 */
export declare function deleteShare(files: FileService, request: GuardedShare & {
    readonly snapshots?: "include" | "include-leased" | undefined;
}): Promise<{
    readonly bytes: number;
}>;
/** Everything of a share, for the reclaimer to take apart. */
export declare function discardShare(write: Writer, share: bigint): void;
/** What listings call the version of a deleted share. */
export declare const versionOfDeletion: typeof etagOf;
export declare function restoreShare(files: FileService, request: {
    readonly ref: ShareRef;
    readonly deletedName: string;
    readonly deletedVersion: string;
}): Promise<ShareRecord>;
