/** What the body asks of its connection. */
export interface BodySource {
    pause(): void;
    resume(): void;
}
/** The client went away in the middle of its request: there is nobody to answer, and nothing was stored. */
export declare class ClientGone extends Error {
    readonly name = "ClientGone";
    constructor();
}
/** The body of one request as it comes off the connection: pieces are kept until somebody takes them. */
export declare class IncomingBody {
    #private;
    /** The last byte is here. */
    isComplete: boolean;
    constructor(length: number, source: BodySource);
    /** Bytes that the client still has to send; infinite while nobody knows. */
    get unreadBytes(): number;
    /** It is the client's turn: there is more to come, and room for it. */
    get isAwaited(): boolean;
    /** Takes what belongs to the body and returns the rest, which belongs to the next request. */
    feed(data: Buffer): Buffer | undefined;
    /** All pieces that are here, without waiting. */
    takeAll(): readonly Buffer[];
    /** The next piece; undefined at the end. One caller at a time. */
    next(): Promise<Buffer | undefined>;
    /** Nobody wants the rest: it is read away, so that the next request can be found behind it. */
    discard(): void;
    /** The connection is gone. What came whole can still be read. */
    end(): void;
}
