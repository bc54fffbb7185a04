import type { FileService } from "./file-service.ts";
import type { ShareRef } from "./names.ts";
/**
 * The mark of a share that SMB clients have something open in it: what it is for is told in access.ts.
 *
 * An open puts its handle first and then looks for the mark, so the mark may be taken away only when no handle can
 * be on its way. Taking it away begins with a note in the ephemeral space, put in a transaction that saw no handle;
 * an open that meets the note waits until it is gone, and then finds that it must set the mark again.
 */
export declare function markOpened(files: FileService, ref: ShareRef, id: bigint): Promise<void>;
/** Takes marks away where nothing is open. */
export declare function forgetUnusedMarks(files: FileService): Promise<"more" | "done">;
