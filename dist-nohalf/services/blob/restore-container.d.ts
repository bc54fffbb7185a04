import { timestampOf } from "../../base/revision.ts";
import type { BlobService } from "./blob-service.ts";
import type { ContainerRef } from "./names.ts";
/** What a listing calls the version of a deleted container: when it was deleted, exactly. */
export declare const versionOfDeletion: typeof timestampOf;
/** Brings a soft-deleted container back, with everything in it, under the same name or a new one. */
export declare function restoreContainer(blobs: BlobService, request: {
    readonly ref: ContainerRef;
    readonly deletedName: string;
    readonly deletedVersion: string;
}): Promise<void>;
