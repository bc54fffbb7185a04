import type { Chore } from "../reclaim/chores.ts";
import type { FileService } from "./file-service.ts";
/** What the File service does in the background. Each step is one short transaction. */
export declare function fileChores(files: FileService): readonly Chore[];
