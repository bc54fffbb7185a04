import type { Revision } from "../../base/revision.ts";
import type { Writer } from "../../store/kv.ts";
import type { FileHeaders, NodeRecord } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import { type FileChange, type NodeWishes, type OpenedFile } from "./node-changes.ts";
import { type Node } from "./nodes.ts";
export interface SetFileProperties extends FileChange {
    readonly wishes: NodeWishes;
    /** All of them at once: a header that is not named is cleared. Undefined: they stay. */
    readonly headers?: FileHeaders | undefined;
    readonly size?: number | undefined;
}
export declare function setFileProperties(files: FileService, request: SetFileProperties): Promise<Node>;
/** A file that shrinks forgets what was beyond its end; one that grows reads zeros there. */
export declare function resize({ parts: { payloads } }: FileService, write: Writer, { share, node: { record } }: OpenedFile, size: number): Promise<Partial<NodeRecord>>;
export declare function setFileMetadata(files: FileService, request: FileChange & {
    readonly metadata: Readonly<Record<string, string>>;
}): Promise<Revision>;
