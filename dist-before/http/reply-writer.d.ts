import "../base/bytes.ts";
import type { Connection } from "./connection/connection.ts";
import type { HttpReply } from "./exchange.ts";
/** A reply with what every reply carries. */
export interface Outgoing {
    readonly reply: HttpReply;
    readonly isHead: boolean;
    /** The client speaks HTTP/1.0: a body of unknown length ends with the connection. */
    readonly isOld: boolean;
    readonly requestId: string | undefined;
    readonly version: string | undefined;
    readonly clientRequestId: string | undefined;
}
/** How it ended: the bytes of body that went out, and the error that broke a stream off. */
export interface Sent {
    readonly bytes: number;
    readonly error?: unknown;
}
/** Writes replies: headers in one piece, small bodies with them, streams at the pace of the client. */
export declare class ReplyWriter {
    #private;
    /** `done` is called once, when the last byte is handed to the system or the client is gone. */
    send(connection: Connection, outgoing: Outgoing, done: (sent: Sent) => void): void;
}
/** Writes a reply whose body is at hand. Returns the bytes of the body. */
export declare function writeWhole(connection: Connection, outgoing: Outgoing, body: string | Buffer | undefined): number;
