import type { Writer } from "../../store/kv.ts";
import type { FileHeaders, ShareRecord } from "../../store/records/file.ts";
import { type TakenIn } from "../payload/content.ts";
import type { Grants } from "./access.ts";
import type { FileService } from "./file-service.ts";
import type { PathRef } from "./names.ts";
import { type NodeWishes } from "./node-changes.ts";
import { type Node } from "./nodes.ts";
export interface CreateFile {
    readonly ref: PathRef;
    readonly size: number;
    readonly wishes: NodeWishes;
    readonly headers?: FileHeaders | undefined;
    readonly metadata?: Readonly<Record<string, string>> | undefined;
    readonly leaseId?: string | undefined;
    /** The first bytes, where the client sends them along. */
    readonly first?: TakenIn | undefined;
}
/**
 * Makes a file of zeros, or makes an existing one anew: its content, properties and metadata go, its id and its
 * lease stay.
 */
export declare function createFile(files: FileService, request: CreateFile): Promise<Node>;
/** The empty file itself, in the caller's transaction. */
export declare function makeFile(write: Writer, grants: Grants, share: ShareRecord, request: Omit<CreateFile, "first"> & {
    readonly ignoresReadOnly?: boolean | undefined;
}): Promise<Node>;
