import type { NodeRecord } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import type { PathRef } from "./names.ts";
import { type NodeWishes } from "./node-changes.ts";
import { type Node } from "./nodes.ts";
export interface Rename {
    readonly kind: NodeRecord["kind"];
    readonly source: PathRef;
    readonly destination: PathRef;
    readonly replacesExisting: boolean;
    readonly ignoresReadOnly: boolean;
    readonly sourceLeaseId?: string | undefined;
    readonly destinationLeaseId?: string | undefined;
    readonly wishes: NodeWishes;
    readonly metadata?: Readonly<Record<string, string>> | undefined;
    readonly contentType?: string | undefined;
}
/**
 * Moves one entry from one directory to another. What a directory holds is keyed by its id and is not touched: a
 * directory with a million entries moves like an empty one.
 */
export declare function rename(files: FileService, request: Rename): Promise<Node>;
