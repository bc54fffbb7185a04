import type { FileService } from "./file-service.ts";
import { type ReadFile } from "./get-file.ts";
import { type Node } from "./nodes.ts";
/** From the first byte to the last, both included. */
export interface ByteSpan {
    readonly from: number;
    readonly to: number;
}
export interface ListRanges extends ReadFile {
    readonly part: (size: number) => {
        readonly from: number;
        readonly to: number;
    };
    /** Only what changed since this snapshot. */
    readonly since?: bigint | undefined;
}
export interface ListedRanges {
    readonly node: Node;
    readonly ranges: readonly ByteSpan[];
    readonly cleared: readonly ByteSpan[];
}
export declare function listRanges(files: FileService, request: ListRanges): Promise<ListedRanges>;
