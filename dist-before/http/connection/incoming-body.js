import { LIMITS } from "../../base/limits.js";
import { ChunkReader } from "./chunks.js";
import { CHUNKED } from "./request-head.js";
/** The client went away in the middle of its request: there is nobody to answer, and nothing was stored. */
export class ClientGone extends Error {
    name = "ClientGone";
    constructor() {
        super("the client went away");
    }
}
/** The body of one request as it comes off the connection: pieces are kept until somebody takes them. */
export class IncomingBody {
    #source;
    #chunks;
    #left;
    #pieces = [];
    #keptBytes = 0;
    #isPaused = false;
    #isDiscarded = false;
    #isGone = false;
    #waiting;
    /** The last byte is here. */
    isComplete;
    constructor(length, source) {
        this.#source = source;
        this.#chunks = length === CHUNKED ? new ChunkReader() : undefined;
        this.#left = length;
        this.isComplete = length === 0;
    }
    /** Bytes that the client still has to send; infinite while nobody knows. */
    get unreadBytes() {
        if (this.isComplete)
            return 0;
        return this.#chunks === undefined ? this.#left : Number.POSITIVE_INFINITY;
    }
    /** It is the client's turn: there is more to come, and room for it. */
    get isAwaited() {
        return !this.isComplete && !this.#isPaused;
    }
    /** Takes what belongs to the body and returns the rest, which belongs to the next request. */
    feed(data) {
        if (this.#chunks !== undefined) {
            const end = this.#chunks.read(data, this.#keep);
            if (end < 0)
                return undefined;
            this.#complete();
            return end === data.length ? undefined : data.subarray(end);
        }
        if (data.length < this.#left) {
            this.#left -= data.length;
            this.#keep(data);
            return undefined;
        }
        const end = this.#left;
        this.#left = 0;
        if (end > 0)
            this.#keep(end === data.length ? data : data.subarray(0, end));
        this.#complete();
        return end === data.length ? undefined : data.subarray(end);
    }
    /** All pieces that are here, without waiting. */
    takeAll() {
        const pieces = this.#pieces;
        this.#pieces = [];
        this.#keptBytes = 0;
        return pieces;
    }
    /** The next piece; undefined at the end. One caller at a time. */
    next() {
        const piece = this.#pieces.shift();
        if (piece !== undefined) {
            this.#keptBytes -= piece.length;
            if (this.#isPaused && this.#keptBytes <= LIMITS.bodyWaitingBytesMax / 2)
                this.#resume();
            return Promise.resolve(piece);
        }
        if (this.isComplete)
            return Promise.resolve(undefined);
        if (this.#isGone)
            return Promise.reject(new ClientGone());
        if (this.#isPaused)
            this.#resume();
        return new Promise((resolve, reject) => {
            this.#waiting = { resolve, reject };
        });
    }
    /** Nobody wants the rest: it is read away, so that the next request can be found behind it. */
    discard() {
        this.#isDiscarded = true;
        this.takeAll();
        if (this.#isPaused)
            this.#resume();
    }
    /** The connection is gone. What came whole can still be read. */
    end() {
        this.#isGone = true;
        if (this.isComplete)
            return;
        this.#waiting?.reject(new ClientGone());
        this.#waiting = undefined;
    }
    #keep = (piece) => {
        if (this.#isDiscarded)
            return;
        if (this.#waiting !== undefined) {
            const { resolve } = this.#waiting;
            this.#waiting = undefined;
            resolve(piece);
            return;
        }
        this.#pieces.push(piece);
        this.#keptBytes += piece.length;
        if (this.#keptBytes > LIMITS.bodyWaitingBytesMax && !this.#isPaused) {
            this.#isPaused = true;
            this.#source.pause();
        }
    };
    #complete() {
        this.isComplete = true;
        this.#waiting?.resolve(undefined);
        this.#waiting = undefined;
    }
    #resume() {
        this.#isPaused = false;
        this.#source.resume();
    }
}
