import "../../base/bytes.ts";
import type { Headers } from "../exchange.ts";
/**
 * The head of an HTTP/1.1 request, read as strictly as RFC 9112 allows. Whatever two readers could understand in
 * two ways (a bare line feed, a folded line, a blank before the colon, two lengths, a length beside a transfer
 * coding) is malformed: a proxy in front of us must never see another request than we do.
 */
export interface RequestHead {
    readonly method: string;
    readonly url: string;
    /** Names and values in turn, as they came. */
    readonly rawHeaders: readonly string[];
    /** By lower-cased name. */
    readonly headers: Headers;
    /** A name that came twice and must not. */
    readonly repeated: string | undefined;
    /** Bytes of body that follow; -1 for a chunked one. */
    readonly bodyLength: number;
    readonly keepsAlive: boolean;
    /** HTTP/1.0 knows no chunks. */
    readonly isOld: boolean;
    /** The client waits for "100 Continue" before it sends the body. */
    readonly expectsContinue: boolean;
}
/** Why a head was not understood; the connection cannot be trusted to be in step after it. */
export declare class Malformed extends Error {
    readonly name = "Malformed";
}
export declare const CHUNKED = -1;
/** Reads the lines of `data` up to `end`, where the blank line begins. */
export declare function readRequestHead(data: Buffer, end: number): RequestHead;
