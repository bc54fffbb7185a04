import type { Instant } from "../../base/clock.ts";
import type { RestUse } from "../../concurrency/share-mode.ts";
import type { Reader } from "../../store/kv.ts";
import type { NodeRecord } from "../../store/records/file.ts";
import type { Grants } from "./access.ts";
import type { FileService } from "./file-service.ts";
import type { PathRef } from "./names.ts";
import { type Node } from "./nodes.ts";
import { type OpenContent } from "./read-content.ts";
import { type OpenShare } from "./shares.ts";
export interface ReadFile {
    readonly ref: PathRef;
    readonly leaseId?: string | undefined;
}
export interface FileFacts {
    readonly node: Node;
    readonly now: Instant;
}
/** A file as one snapshot of the store has it, checked for a read. */
export declare function openForRead(read: Reader, grants: Grants, { ref, leaseId }: ReadFile, use: RestUse, range?: (record: NodeRecord) => {
    from: number;
    to: number;
}): Promise<OpenShare & FileFacts>;
export declare function getFileProperties(files: FileService, request: ReadFile): Promise<FileFacts>;
export interface GetFile extends ReadFile {
    /** Which bytes, once the size is known; throws when there are none. */
    readonly part: (size: number) => {
        readonly from: number;
        readonly to: number;
    };
}
export interface FoundFile extends FileFacts {
    readonly content: OpenContent;
}
/** Opens a part of a file. The caller streams it and closes it. */
export declare function getFile(files: FileService, request: GetFile): Promise<FoundFile>;
