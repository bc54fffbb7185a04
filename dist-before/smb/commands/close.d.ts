import type { FileInfo } from "../file-system.ts";
import { type Reply, type Request } from "../request.ts";
export declare function close(request: Request): Promise<Reply>;
export declare function timesAndSizes(info: FileInfo): {
    creationTime: bigint;
    lastAccessTime: bigint;
    lastWriteTime: bigint;
    changeTime: bigint;
    allocationSize: bigint;
    endOfFile: bigint;
    attributes: number;
};
