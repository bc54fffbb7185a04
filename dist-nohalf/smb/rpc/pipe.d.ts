import type { SrvSvc } from "./srvsvc.ts";
export declare class Pipe {
    #private;
    constructor(service: SrvSvc);
    /** WRITE: the answer waits until it is read. */
    write(data: Buffer): void;
    /** Write and answer in one step. */
    call(data: Buffer): Promise<void>;
    /** One fragment, or a part of it that the next read goes on with. */
    read(bytesMax: number): {
        readonly data: Buffer;
        readonly isMore: boolean;
    };
}
