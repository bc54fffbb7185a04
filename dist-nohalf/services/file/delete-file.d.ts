import type { Writer } from "../../store/kv.ts";
import type { ShareRecord } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import { type FileChange } from "./node-changes.ts";
import { type Node } from "./nodes.ts";
/** Gone at once, or untouched: a REST delete never leaves a file waiting for handles to close. */
export declare function deleteFile(files: FileService, request: FileChange): Promise<void>;
/** Takes a file out of its directory; its content is taken apart in the background. */
export declare function unlinkFile(write: Writer, share: ShareRecord, { id, record }: Node): Promise<void>;
