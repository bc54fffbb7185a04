import type { ShareEntry } from "../file-system.ts";
export type RpcAnswer = {
    readonly stub: Buffer;
} | {
    readonly fault: number;
};
export declare class SrvSvc {
    #private;
    constructor(input: {
        readonly serverName: string;
        readonly shares: () => Promise<readonly ShareEntry[]>;
    });
    call(opnum: number, stub: Buffer): Promise<RpcAnswer>;
}
