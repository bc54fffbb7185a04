import { type Reply, type Request } from "../request.ts";
export declare function setInfo(request: Request): Promise<Reply>;
