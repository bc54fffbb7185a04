import type { Reply, Request } from "../request.ts";
export declare const OFFSET_MAX: bigint;
/** The data travels from the file system to the socket in the buffers it was read into. */
export declare function read(request: Request): Promise<Reply>;
