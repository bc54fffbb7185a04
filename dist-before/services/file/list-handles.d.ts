import { type HandleRecord } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import type { PathRef } from "./names.ts";
import { type View } from "./versions.ts";
/** List Handles and Force Close Handles: the table of opens, as REST shows it. */
export interface HandlesRequest {
    readonly ref: PathRef;
    readonly isRecursive: boolean;
    readonly maxResults: number;
    readonly from?: HandlePosition | undefined;
}
export interface HandlePosition {
    readonly node: bigint;
    readonly handle: bigint;
}
export interface ListedHandle extends HandlePosition {
    readonly record: HandleRecord;
    readonly path: readonly string[];
    readonly parent: bigint;
}
export interface HandlesPage {
    readonly handles: readonly ListedHandle[];
    readonly next: HandlePosition | undefined;
}
export declare function listHandles(files: FileService, request: HandlesRequest): Promise<HandlesPage>;
/** Whether a node is a directory's, at any depth, or the directory itself. */
export declare function isBelow(view: View, share: bigint, node: bigint, directory: bigint): Promise<boolean>;
export interface ClosedHandles {
    readonly closed: number;
    readonly failed: number;
    readonly next: HandlePosition | undefined;
}
/** Ends handles as if their client had gone: share modes and locks are free at once. */
export declare function forceCloseHandles(files: FileService, request: Omit<HandlesRequest, "maxResults"> & {
    readonly handle: bigint | "*";
}): Promise<ClosedHandles>;
