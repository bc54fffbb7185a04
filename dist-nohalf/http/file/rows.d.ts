import type { FileService } from "../../services/file/file-service.ts";
import type { AuthContext } from "../auth/authenticate.ts";
import type { CommonServices } from "../common/service-operations.ts";
import type { Operation, Permission } from "../operation.ts";
/** What the handlers of the File service are given. */
export interface FileServices extends CommonServices {
    readonly files: FileService;
    /** For the SAS in the address of a copy or rename source. */
    readonly auth: AuthContext;
}
export type FileRow = Operation<FileServices>;
type Given = Pick<FileRow, "name" | "method" | "resource" | "permission" | "handle"> & Partial<FileRow>;
/** A row with what most rows have. The File service knows no conditional headers: it says so. */
export declare function row(given: Given): FileRow;
/** A read that answers GET with and HEAD without its body. */
export declare function getAndHead(given: Omit<Given, "method">): FileRow[];
export declare const onShare: (account: readonly string[], service?: readonly string[]) => Permission;
export declare const onNode: (letters: readonly string[]) => Permission;
export {};
