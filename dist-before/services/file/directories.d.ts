import type { Revision } from "../../base/revision.ts";
import type { FileService } from "./file-service.ts";
import type { PathRef } from "./names.ts";
import { type NodeWishes } from "./node-changes.ts";
import { type Node } from "./nodes.ts";
/** Directories: create, read, change, delete. */
export interface CreateDirectory {
    readonly ref: PathRef;
    readonly wishes: NodeWishes;
    readonly metadata?: Readonly<Record<string, string>> | undefined;
}
export declare function createDirectory(files: FileService, request: CreateDirectory): Promise<Node>;
export declare function getDirectoryProperties(files: FileService, ref: PathRef): Promise<Node>;
/** Gone at once, or untouched. The root stays as long as its share. */
export declare function deleteDirectory(files: FileService, ref: PathRef): Promise<void>;
export declare function setDirectoryMetadata(files: FileService, ref: PathRef, metadata: Readonly<Record<string, string>>): Promise<Revision>;
export declare function setDirectoryProperties(files: FileService, ref: PathRef, wishes: NodeWishes): Promise<Node>;
