import { type Reply, type Request } from "../request.ts";
/** `\\server\share`: whatever the server was called, the session's account decides. */
export declare function treeConnect(request: Request): Promise<Reply>;
export declare function treeDisconnect(request: Request): Promise<Reply>;
