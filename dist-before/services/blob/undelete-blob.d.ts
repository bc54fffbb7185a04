import type { BlobService } from "./blob-service.ts";
import type { BlobRef } from "./names.ts";
/**
 * Undelete Blob: what was deleted softly and whose time is not up comes back: the blob itself, unless a new one
 * has its name, and its snapshots and versions. Nothing to bring back is no error; nothing there at all is.
 */
export declare function undeleteBlob(blobs: BlobService, ref: BlobRef): Promise<void>;
