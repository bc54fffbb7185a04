import type { Reply, Request } from "../request.ts";
export declare function create(request: Request): Promise<Reply>;
