import type { FileOpen } from "../open.ts";
import type { Request } from "../request.ts";
import type { IoctlAnswer } from "./ioctl.ts";
/** The key is the file id itself: it is only believed within the session that owns the handle. */
export declare function resumeKey(open: FileOpen, bytesMax: number): IoctlAnswer;
export declare function copyChunk(request: Request, target: FileOpen, body: {
    readonly ctlCode: number;
    readonly input: Buffer;
    readonly maxOutputResponse: number;
}): Promise<IoctlAnswer>;
