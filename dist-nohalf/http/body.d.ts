import type { Connection, Incoming } from "./connection/connection.ts";
import type { Body } from "./exchange.ts";
import { CheckedBody } from "./wire/digest.ts";
/**
 * The body of a request. Nothing is read before an operation asks for it, so a request that is refused by its
 * headers costs no transfer: `Expect: 100-continue` is answered at the first read.
 */
export declare class RequestBody implements Body {
    #private;
    readonly length: number | undefined;
    /** Bytes taken off the connection so far. */
    bytesRead: number;
    constructor({ head, body }: Incoming, connection: Connection, bytesMax: number);
    stream(want?: {
        readonly md5?: boolean;
        readonly crc64?: boolean;
    }): CheckedBody;
    read(bytesMax: number): Promise<Buffer>;
}
