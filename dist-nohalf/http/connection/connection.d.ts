import type { Socket } from "node:net";
import { type BodySource, IncomingBody } from "./incoming-body.ts";
import { type RequestHead } from "./request-head.ts";
/** One request as it came: the head is whole, the body may still be on its way. */
export interface Incoming {
    readonly head: RequestHead;
    readonly body: IncomingBody;
    readonly remoteAddress: string;
}
/** What a connection needs of the listener it came through. */
export interface Host {
    /** Sweeps of the listener so far: a clock that costs nothing to read. */
    readonly sweeps: number;
    readonly isClosing: boolean;
    handle(incoming: Incoming, connection: Connection): void;
    closed(connection: Connection): void;
}
/**
 * One HTTP/1.1 connection: requests one after another, each answered before the next is looked at.
 *
 * Node's own HTTP server costs about 25 microseconds of every request in objects and streams that nothing here
 * uses; this one costs 10 (docs/decisions/0012). It is also how a reply is written: the caller prints the head.
 */
export declare class Connection implements BodySource {
    #private;
    constructor(socket: Socket, host: Host);
    /** The client is gone: what is written now reaches nobody. */
    get isGone(): boolean;
    get isIdle(): boolean;
    /** True when the connection stays after the reply to the request at hand. */
    get keepsAlive(): boolean;
    sendContinue(): void;
    /** A whole reply as a binary string, after which the next request is read. */
    sendWhole(reply: string, keepsAlive: boolean): void;
    /** A part of a reply; when a promise comes back, wait for it before the next part. */
    write(piece: string | Uint8Array): Promise<void> | undefined;
    /** Several small parts that follow one another leave together. */
    cork(): void;
    uncork(): void;
    /** The reply is out. */
    finish(keepsAlive: boolean): void;
    destroy(): void;
    /** Ends the connection as soon as no request is under way. */
    close(): void;
    /** Looks for a client that has stopped moving. Called by the listener in every sweep. */
    sweep(sweepMillis: number): void;
    pause(): void;
    resume(): void;
}
