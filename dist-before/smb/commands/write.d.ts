import { type Reply, type Request } from "../request.ts";
/** Answered when the bytes are taken; with write-through when they are on the disk. */
export declare function write(request: Request): Promise<Reply>;
