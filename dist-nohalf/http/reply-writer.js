import { STATUS_CODES } from "node:http";
import "../base/bytes.js";
import { assert } from "../base/assert.js";
import { systemClock } from "../base/clock.js";
import { KIB, LIMITS } from "../base/limits.js";
import { ReplyQueue } from "./reply-queue.js";
import { printHttpDate } from "./wire/dates.js";
/** Writes replies: headers in one piece, small bodies with them, streams at the pace of the client. */
export class ReplyWriter {
    #queue = new ReplyQueue();
    /** `done` is called once, when the last byte is handed to the system or the client is gone. */
    send(connection, outgoing, done) {
        const finish = (sent) => {
            outgoing.reply.release?.();
            done(sent);
        };
        const breakOff = (error) => {
            // Part of the reply may be out. Ending the connection is the only way left to say that it is not whole.
            connection.destroy();
            finish({ bytes: 0, error });
        };
        this.#queue.push(() => {
            const { body } = outgoing.reply;
            if (connection.isGone)
                finish({ bytes: 0 });
            else if (body === undefined || typeof body === "string" || Buffer.isBuffer(body)) {
                try {
                    finish({ bytes: writeWhole(connection, outgoing, body) });
                }
                catch (error) {
                    // Other replies wait behind this one: what is wrong with it must not reach them.
                    breakOff(error);
                }
            }
            else
                writeStream(connection, outgoing, body).then((bytes) => finish({ bytes }), breakOff);
        });
    }
}
/** Up to this size a body travels in one string with its headers: one write costs half of what two do. */
const JOINED_BYTES_MAX = 16 * KIB;
/** Writes a reply whose body is at hand. Returns the bytes of the body. */
export function writeWhole(connection, outgoing, body) {
    const { status, length } = outgoing.reply;
    const bytes = body === undefined || body === "" ? NOTHING : typeof body === "string" ? binaryOf(body) : body;
    const hasLength = status !== 204 && status !== 304;
    const told = outgoing.isHead ? (length ?? bytes.length) : bytes.length;
    const rest = outgoing.isHead ? NOTHING : bytes;
    const { keepsAlive } = connection;
    const head = printHead(outgoing, hasLength ? told : undefined) + connectionHeader(keepsAlive);
    if (rest.length <= JOINED_BYTES_MAX) {
        connection.sendWhole(head + (typeof rest === "string" ? rest : rest.latin1Slice()), keepsAlive);
    }
    else {
        connection.cork();
        connection.write(head);
        connection.write(rest);
        connection.uncork();
        connection.finish(keepsAlive);
    }
    return bytes.length;
}
const KEPT_ALIVE = `Connection: keep-alive\r\nKeep-Alive: timeout=${LIMITS.keepAliveMillis / 1_000}\r\n\r\n`;
const CLOSED = "Connection: close\r\n\r\n";
const FORBIDDEN_IN_HEADER = /[^\t\x20-\x7e\x80-\xff]/;
function connectionHeader(keepsAlive) {
    return keepsAlive ? KEPT_ALIVE : CLOSED;
}
/** The head of a reply but for the last header, which says what becomes of the connection. */
function printHead(outgoing, length) {
    const { status, headers } = outgoing.reply;
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\nServer: Holdfast\r\n`;
    if (outgoing.requestId !== undefined)
        head += `x-ms-request-id: ${outgoing.requestId}\r\n`;
    if (outgoing.version !== undefined)
        head += `x-ms-version: ${outgoing.version}\r\n`;
    if (outgoing.clientRequestId !== undefined)
        head += `x-ms-client-request-id: ${outgoing.clientRequestId}\r\n`;
    for (const name in headers) {
        const value = headers[name];
        if (value === undefined)
            continue;
        // What a client stored comes back here: a line end in it would let that client write our headers.
        assert(!FORBIDDEN_IN_HEADER.test(value), `the value of the header ${name} cannot be sent`);
        head += `${name}: ${value}\r\n`;
    }
    if (length !== undefined)
        head += `Content-Length: ${length}\r\n`;
    return `${head}Date: ${printHttpDate(systemClock.now())}\r\n`;
}
const NOTHING = Buffer.alloc(0);
const ASCII = /^[\x00-\x7f]*$/;
const BOM = "\ufeff";
/** The bytes of a text as a binary string or a buffer: nearly all replies are plain, save for the mark in front. */
function binaryOf(text) {
    if (ASCII.test(text))
        return text;
    if (text.startsWith(BOM)) {
        const rest = text.slice(1);
        if (ASCII.test(rest))
            return `\xef\xbb\xbf${rest}`;
    }
    return Buffer.from(text, "utf8");
}
/** Bytes of the body that went out before the client went away or all was written. */
async function writeStream(connection, outgoing, body) {
    const { status, length } = outgoing.reply;
    const isChunked = length === undefined && status !== 204 && status !== 304 && !outgoing.isOld;
    const keepsAlive = connection.keepsAlive && (length !== undefined || isChunked);
    const coding = isChunked ? "Transfer-Encoding: chunked\r\n" : "";
    let head = printHead(outgoing, length) + coding + connectionHeader(keepsAlive);
    let bytes = 0;
    if (!outgoing.isHead) {
        for await (const piece of body) {
            if (connection.isGone)
                return bytes;
            if (piece.length === 0)
                continue;
            bytes += piece.length;
            connection.cork();
            if (head !== undefined)
                connection.write(head);
            head = undefined;
            if (isChunked)
                connection.write(`${piece.length.toString(16)}\r\n`);
            let room = connection.write(piece);
            if (isChunked)
                room = connection.write("\r\n") ?? room;
            connection.uncork();
            if (room !== undefined)
                await room;
        }
        assert(length === undefined || bytes === length, "a reply is as long as it says");
    }
    if (connection.isGone)
        return bytes;
    if (head !== undefined)
        connection.write(head);
    if (isChunked && !outgoing.isHead)
        connection.write("0\r\n\r\n");
    connection.finish(keepsAlive);
    return bytes;
}
