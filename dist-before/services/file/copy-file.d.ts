import type { FileHeaders, NodeRecord } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import type { PathRef } from "./names.ts";
import { type NodeWishes } from "./node-changes.ts";
import { type Node } from "./nodes.ts";
/** Copy File: from a file of this server by sharing its bytes, from elsewhere by fetching them. */
export interface CopyFile {
    readonly ref: PathRef;
    readonly leaseId?: string | undefined;
    readonly copyId: string;
    /** The address, as it is remembered: without what gives access to it. */
    readonly shown: string;
    readonly metadata?: Readonly<Record<string, string>> | undefined;
    readonly wishes: NodeWishes;
    /** What of the source's own properties is taken over. */
    readonly takes: ReadonlySet<"attributes" | "createdAt" | "writtenAt" | "changedAt" | "permission">;
    readonly ignoresReadOnly: boolean;
    readonly setsArchive: boolean;
}
/** What a copy takes from its source beside the bytes. */
interface Original {
    readonly size: number;
    readonly headers?: FileHeaders | undefined;
    readonly metadata?: Readonly<Record<string, string>> | undefined;
    readonly node?: NodeRecord | undefined;
    readonly sddl?: string | undefined;
}
/** What is copied next: for a copy that takes more than one transaction. */
export interface CopyWork {
    readonly request: CopyFile;
    readonly node: bigint;
    readonly share: bigint;
    readonly size: number;
    /** A file of this server, and the state of it that is copied. */
    readonly source?: CopySource | undefined;
}
export interface CopySource {
    readonly ref: PathRef;
    readonly node: bigint;
    readonly dataRevision: bigint;
}
export interface CopiedFile {
    readonly node: Node;
    /** Undefined when the copy is complete. */
    readonly work: CopyWork | undefined;
}
/** One transaction while the source has few ranges; otherwise the first step of several. */
export declare function copyFile(files: FileService, request: CopyFile, source: PathRef): Promise<CopiedFile>;
/** The next ranges of a copy within this server; `next` is undefined when the source is through. */
export declare function copyNextRanges(files: FileService, work: CopyWork & {
    readonly source: CopySource;
}, from: number): Promise<{
    readonly next: number | undefined;
}>;
/** A copy whose bytes come from elsewhere: a file of zeros that says "pending". */
export declare function beginCopyFromUrl(files: FileService, request: CopyFile, original: Omit<Original, "node" | "sddl">): Promise<CopiedFile>;
/** Bytes of a copy from elsewhere, in order, up to 4 MiB at a time. */
export declare function putCopiedBytes(files: FileService, work: CopyWork, offset: number, bytes: Buffer): Promise<void>;
export declare function endCopy(files: FileService, work: CopyWork, outcome: {
    readonly status: "success" | "failed";
    readonly description?: string;
}): Promise<void>;
/** Ends a copy that goes on; the file is left empty. */
export declare function abortCopy(files: FileService, request: {
    readonly ref: PathRef;
    readonly copyId: string;
    readonly leaseId?: string | undefined;
}): Promise<void>;
export {};
