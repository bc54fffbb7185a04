import { type EntryRecord, type NodeRecord } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import { type PathRef } from "./names.ts";
import { type Node } from "./nodes.ts";
export interface ListDirectory {
    readonly ref: PathRef;
    readonly prefix: string;
    readonly maxResults: number;
    /** The folded name the page begins with. */
    readonly from?: string | undefined;
}
export interface ListedNode {
    readonly entry: EntryRecord;
    readonly record: NodeRecord;
}
export interface DirectoryPage {
    readonly directory: Node;
    readonly entries: readonly ListedNode[];
    readonly next: string | undefined;
}
/**
 * One level of a directory, files and directories in one order that does not look at case. A page costs what it
 * holds, wherever it begins. Files that wait for their last handle to close are not shown.
 */
export declare function listDirectory(files: FileService, request: ListDirectory): Promise<DirectoryPage>;
