import { once } from "node:events";
import { type ServerResponse, STATUS_CODES } from "node:http";
import "../base/bytes.ts";
import { assert } from "../base/assert.ts";
import { systemClock } from "../base/clock.ts";
import { KIB, LIMITS } from "../base/limits.ts";
import type { HttpReply } from "./exchange.ts";
import { ReplyQueue } from "./reply-queue.ts";
import { printHttpDate } from "./wire/dates.ts";

/** A reply with what every reply carries. */
export interface Outgoing {
  readonly reply: HttpReply;
  readonly isHead: boolean;
  readonly mustClose: boolean;
  readonly requestId: string;
  readonly version: string | undefined;
  readonly clientRequestId: string | undefined;
}

/** How it ended: the bytes of body that went out, and the error that broke a stream off. */
export interface Sent {
  readonly bytes: number;
  readonly error?: unknown;
}

/** Writes replies: headers in one piece, small bodies with them, streams at the pace of the client. */
export class ReplyWriter {
  readonly #queue = new ReplyQueue();
  readonly #keptAlive: string;

  constructor(keepAliveMillis: number = LIMITS.keepAliveMillis) {
    this.#keptAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMillis / 1_000)}\r\n\r\n`;
  }

  /** `done` is called once, when the last byte is handed to the system or the client is gone. */
  send(response: ServerResponse, outgoing: Outgoing, done: (sent: Sent) => void): void {
    const finish = (sent: Sent): void => {
      outgoing.reply.release?.();
      done(sent);
    };
    const breakOff = (error: unknown): void => {
      // Part of the reply may be out. Ending the connection is the only way left to say that it is not whole.
      response.destroy();
      finish(isClosedByClient(error) ? { bytes: 0 } : { bytes: 0, error });
    };
    this.#queue.push(() => {
      const { body } = outgoing.reply;
      if (response.destroyed) finish({ bytes: 0 });
      else if (body === undefined || typeof body === "string" || Buffer.isBuffer(body)) {
        try {
          finish({ bytes: writeWhole(response, outgoing, body, this.#keptAlive) });
        } catch (error) {
          // Other replies wait behind this one: what is wrong with it must not reach them.
          breakOff(error);
        }
      } else writeStream(response, outgoing, body).then((bytes) => finish({ bytes }), breakOff);
    });
  }
}

/** Up to this size a body travels in one string with its headers. */
const JOINED_BYTES_MAX = 16 * KIB;

function writeWhole(
  response: ServerResponse,
  outgoing: Outgoing,
  body: string | Buffer | undefined,
  keptAlive: string,
): number {
  const { status, length } = outgoing.reply;
  const bytes =
    body === undefined || body === "" ? NOTHING : typeof body === "string" ? binaryOf(body) : body;
  const hasLength = status !== 204 && status !== 304;
  const told = outgoing.isHead ? (length ?? bytes.length) : bytes.length;
  const rest = outgoing.isHead ? NOTHING : bytes;
  if (rest.length > JOINED_BYTES_MAX || !response.shouldKeepAlive || outgoing.mustClose) {
    response.writeHead(status, rawHeaders(outgoing, hasLength ? told : undefined));
    response.end(rest, "latin1");
  } else {
    // One write of one string costs the system half of what a vector of headers and body does. Node keeps the
    // printed head in this field until it goes out, and writes it as it is: so the whole reply is put there.
    const head = printHead(outgoing, hasLength ? told : undefined) + keptAlive;
    response.statusCode = status;
    (response as unknown as { _header: string })._header =
      head + (typeof rest === "string" ? rest : rest.latin1Slice());
    response.end();
  }
  return bytes.length;
}

const FORBIDDEN_IN_HEADER = /[^\t\x20-\x7e\x80-\xff]/;

/** The head of a reply on a connection that stays, as Node would print it, up to what says that it stays. */
function printHead(outgoing: Outgoing, length: number | undefined): string {
  const { status, headers } = outgoing.reply;
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\nServer: Holdfast\r\nx-ms-request-id: ${outgoing.requestId}\r\n`;
  if (outgoing.version !== undefined) head += `x-ms-version: ${outgoing.version}\r\n`;
  if (outgoing.clientRequestId !== undefined)
    head += `x-ms-client-request-id: ${outgoing.clientRequestId}\r\n`;
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    // What a client stored comes back here: a line end in it would let that client write our headers.
    assert(!FORBIDDEN_IN_HEADER.test(value), `the value of the header ${name} cannot be sent`);
    head += `${name}: ${value}\r\n`;
  }
  if (length !== undefined) head += `Content-Length: ${length}\r\n`;
  return `${head}Date: ${printHttpDate(systemClock.now())}\r\n`;
}

const NOTHING = Buffer.alloc(0);
const ASCII = /^[\x00-\x7f]*$/;
const BOM = "\ufeff";

/** The bytes of a text as a binary string or a buffer: nearly all replies are plain, save for the mark in front. */
function binaryOf(text: string): string | Buffer {
  if (ASCII.test(text)) return text;
  if (text.startsWith(BOM)) {
    const rest = text.slice(1);
    if (ASCII.test(rest)) return `\xef\xbb\xbf${rest}`;
  }
  return Buffer.from(text, "utf8");
}

async function writeStream(
  response: ServerResponse,
  outgoing: Outgoing,
  body: AsyncIterable<Uint8Array>,
): Promise<number> {
  response.writeHead(outgoing.reply.status, rawHeaders(outgoing, outgoing.reply.length));
  let bytes = 0;
  if (!outgoing.isHead) {
    for await (const piece of body) {
      bytes += piece.length;
      if (response.destroyed) return bytes;
      if (!response.write(piece)) await drained(response);
    }
  }
  response.end();
  return bytes;
}

/** Until the client has taken what was written, or is gone. Leaves no listener behind: a long reply waits often. */
async function drained(response: ServerResponse): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  try {
    await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]);
  } finally {
    over.abort();
  }
}

function isClosedByClient(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === "ERR_STREAM_DESTROYED" || code === "ECONNRESET" || code === "EPIPE";
}

/** A flat list, which Node writes out as it is. */
function rawHeaders(outgoing: Outgoing, length: number | undefined): string[] {
  const list = ["Server", "Holdfast", "x-ms-request-id", outgoing.requestId];
  if (outgoing.version !== undefined) list.push("x-ms-version", outgoing.version);
  if (outgoing.clientRequestId !== undefined) list.push("x-ms-client-request-id", outgoing.clientRequestId);
  const { headers } = outgoing.reply;
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) list.push(name, value);
  }
  if (length !== undefined) list.push("Content-Length", String(length));
  if (outgoing.mustClose) list.push("Connection", "close");
  return list;
}
