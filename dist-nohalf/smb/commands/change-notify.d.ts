import type { Reply, Request } from "../request.ts";
export declare function changeNotify(request: Request): Promise<Reply>;
