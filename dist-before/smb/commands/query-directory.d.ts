import type { Reply, Request } from "../request.ts";
export declare function queryDirectory(request: Request): Promise<Reply>;
