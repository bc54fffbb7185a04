import { type ByteRange, type Lock } from "../../concurrency/byte-range-lock.ts";
import type { FileService } from "./file-service.ts";
import type { Handle } from "./handles.ts";
/** Takes all of the locks, or none of them (FileLockConflict). */
export declare function lockRanges(files: FileService, handle: Handle, wanted: readonly Lock[]): Promise<void>;
/** Gives locks back, each named exactly as it was taken. "notLocked": one of them was not there; the others went. */
export declare function unlockRanges(files: FileService, handle: Handle, ranges: readonly ByteRange[]): Promise<"unlocked" | "notLocked">;
/** Whether the locks of others let this handle read or write here. */
export declare function mayAccess(files: FileService, { share, node, id }: Handle, range: ByteRange, use: "read" | "write"): Promise<boolean>;
