import type { FileOpen } from "./open.ts";
import type { SmbServer } from "./server.ts";
/**
 * Opens whose connection was lost while the client had been promised to find them again. They keep their share mode,
 * locks and cache until the client comes back, their time is over, or somebody else needs the cache they hold.
 */
export declare class DurableOpens {
    #private;
    constructor(server: SmbServer);
    /** True when the open stays. */
    keep(open: FileOpen): boolean;
    isKept(open: FileOpen): boolean;
    /** Takes an open back for a client that proves to be the same. */
    claim(wanted: {
        readonly persistent: bigint;
        readonly account: string;
        readonly clientGuid: Buffer;
        readonly createGuid: Buffer | undefined;
        readonly leaseKey: Buffer | undefined;
        readonly name: string;
    }): FileOpen | undefined;
    /** Its time is over, or it is in the way. */
    drop(open: FileOpen): Promise<void>;
    close(): Promise<void>;
}
