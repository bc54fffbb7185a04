import { type Reply, type Request } from "../request.ts";
export declare function lock(request: Request): Promise<Reply>;
