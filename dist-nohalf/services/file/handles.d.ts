import { type HandleRecord } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import type { PathRef, ShareRef } from "./names.ts";
import { type Node } from "./nodes.ts";
/**
 * Opens, as SMB clients make them. A handle is a record in the ephemeral key space: every process sees it, REST
 * calls meet it, and when the process that serves it dies it is gone. How opens and REST calls keep out of each
 * other's way is told in access.ts.
 */
export interface OpenRequest {
    readonly ref: PathRef;
    readonly access: number;
    readonly share: number;
    readonly session: bigint;
    readonly clientAddress: string;
    readonly clientName: string;
    /** The file goes when its last handle closes, once this one has closed. */
    readonly isDeleteOnClose?: boolean;
}
/** What names an open handle from now on: ids, which no rename changes. */
export interface Handle {
    readonly ref: ShareRef;
    readonly share: bigint;
    readonly node: bigint;
    readonly id: bigint;
}
export interface OpenedHandle extends Handle {
    readonly opened: Node;
}
/** Throws SharingViolation, SMBDeletePending, TooManyOpenHandles, or what finding the path throws. */
export declare function openHandle(files: FileService, request: OpenRequest): Promise<OpenedHandle>;
/** The handle as it is stored; undefined once it was closed, also by Force Close. */
export declare function findHandle(files: FileService, { share, node, id }: Handle): Promise<HandleRecord | undefined>;
/** Closes a handle; its locks go with it, and with the last handle a file that waits for its deletion. */
export declare function closeHandle(files: FileService, handle: Handle): Promise<"closed" | "unknown">;
/** As closing, but a client that was cut off did not ask for its delete-on-close. */
export declare function endHandle(files: FileService, handle: Handle, { isForced }: {
    readonly isForced: boolean;
}): Promise<"closed" | "unknown">;
/** Marks a file or directory for deletion when its last handle closes, or takes the mark back. */
export declare function setDeletePending(files: FileService, handle: Handle, isPending: boolean): Promise<void>;
