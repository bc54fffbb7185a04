import type { Revision } from "../../base/revision.ts";
import { type TakenIn } from "../payload/content.ts";
import type { FileService } from "./file-service.ts";
import { type FileChange } from "./node-changes.ts";
export interface PutRange extends FileChange {
    readonly from: number;
    /** Exclusive. */
    readonly to: number;
    /** What the last write time shall be: now, or as it was. */
    readonly keepsWriteTime?: boolean | undefined;
}
export interface RangePut {
    readonly revision: Revision;
    readonly writtenAt: bigint;
}
/** Puts bytes that have been taken in. They are in the file, all of them and durable, or none is. */
export declare function putRange(files: FileService, request: PutRange & {
    readonly bytes: TakenIn;
}): Promise<RangePut>;
export declare function clearRange(files: FileService, request: PutRange): Promise<RangePut>;
