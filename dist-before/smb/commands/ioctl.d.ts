import type { Reply, Request } from "../request.ts";
export interface IoctlAnswer {
    readonly output: Buffer;
    readonly status?: number;
}
export declare function ioctl(request: Request): Promise<Reply>;
