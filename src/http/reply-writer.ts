import { once } from "node:events";
import type { ServerResponse } from "node:http";
import "../base/bytes.ts";
import { KIB } from "../base/limits.ts";
import type { HttpReply } from "./exchange.ts";
import { ReplyQueue } from "./reply-queue.ts";

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

  /** `done` is called once, when the last byte is handed to the system or the client is gone. */
  send(response: ServerResponse, outgoing: Outgoing, done: (sent: Sent) => void): void {
    this.#queue.push(() => {
      const { body } = outgoing.reply;
      if (response.destroyed) finish({ bytes: 0 });
      else if (body === undefined || typeof body === "string" || Buffer.isBuffer(body)) {
        finish({ bytes: writeWhole(response, outgoing, body) });
      } else {
        writeStream(response, outgoing, body).then(
          (bytes) => finish({ bytes }),
          (error: unknown) => {
            // Part of the reply is out. Ending the connection is the only way left to say that it is not whole.
            response.destroy();
            finish(isClosedByClient(error) ? { bytes: 0 } : { bytes: 0, error });
          },
        );
      }
    });
    const finish = (sent: Sent): void => {
      outgoing.reply.release?.();
      done(sent);
    };
  }
}

/** Up to this size a body travels in one string with its headers. */
const JOINED_BYTES_MAX = 16 * KIB;

function writeWhole(response: ServerResponse, outgoing: Outgoing, body: string | Buffer | undefined): number {
  const { status, length } = outgoing.reply;
  const bytes =
    body === undefined || body === "" ? NOTHING : typeof body === "string" ? binaryOf(body) : body;
  const hasLength = status !== 204 && status !== 304;
  const told = outgoing.isHead ? (length ?? bytes.length) : bytes.length;
  response.writeHead(status, rawHeaders(outgoing, hasLength ? told : undefined));
  if (outgoing.isHead || bytes.length === 0) response.end();
  else if (bytes.length > JOINED_BYTES_MAX) response.end(bytes, "latin1");
  else {
    // One write of one string costs the system half of what a vector of headers and body does. Node keeps the
    // printed headers in this field until they go out, and writes them as they are.
    (response as unknown as { _header: string })._header +=
      typeof bytes === "string" ? bytes : bytes.latin1Slice();
    response.end();
  }
  return bytes.length;
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
