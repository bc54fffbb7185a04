import { type CopyWork } from "./copy-file.ts";
import type { FileService } from "./file-service.ts";
/**
 * Carries a copy to its end, step by step, while the client already has its answer. It ends as "success" or
 * "failed"; a copy that the client aborts ends where it is. A copy that its process did not survive stays
 * "pending" until the client aborts it or deletes the file.
 */
export declare function runCopy(files: FileService, work: CopyWork, bytes?: AsyncIterable<Uint8Array>): Promise<void>;
