import { type Reply, type Request } from "../request.ts";
/** Durable when answered. */
export declare function flush(request: Request): Promise<Reply>;
