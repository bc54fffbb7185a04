import { type Reply, type Request } from "../request.ts";
/** CREATE on IPC$: one pipe is served, the one that lists shares. */
export declare function openPipe(request: Request, name: string): Reply;
