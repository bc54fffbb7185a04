import { type Reply, type Request } from "../request.ts";
export declare function sessionSetup(request: Request): Promise<Reply>;
export declare function logoff(request: Request): Promise<Reply>;
