import { STATUS_CODES } from "node:http";
import "../base/bytes.ts";
import { assert, InvariantBroken } from "../base/assert.ts";
import { systemClock } from "../base/clock.ts";
import { KIB, LIMITS } from "../base/limits.ts";
import { release } from "../memory/pooled-buffer.ts";
import { type ReplyHold, ReplyMemory } from "../memory/reply-memory.ts";
import type { Connection } from "./connection/connection.ts";
import type { HttpReply } from "./exchange.ts";
import { ReplyQueue } from "./reply-queue.ts";
import { printHttpDate } from "./wire/dates.ts";

/** A reply with what every reply carries. */
export interface Outgoing {
  readonly reply: HttpReply;
  readonly isHead: boolean;
  /** The client speaks HTTP/1.0: a body of unknown length ends with the connection. */
  readonly isOld: boolean;
  readonly requestId: string | undefined;
  readonly version: string | undefined;
  readonly clientRequestId: string | undefined;
  /** Memory that was reserved for the reply. */
  readonly hold?: ReplyHold | undefined;
}

/** How it ended: the bytes of body that went out, and the error that broke a stream off. */
export interface Sent {
  readonly bytes: number;
  readonly error?: unknown;
}

interface Waiting {
  readonly connection: Connection;
  readonly outgoing: Outgoing;
  readonly done: (sent: Sent) => void;
}

/**
 * Writes replies: headers in one piece, small bodies with them, long ones and streams at the pace of the
 * client.
 */
export class ReplyWriter {
  readonly #queue = new ReplyQueue<Waiting>((waiting) => this.#write(waiting));
  readonly #keptAlive: string;
  readonly #memory: ReplyMemory;

  constructor(keepAliveMillis: number = LIMITS.keepAliveMillis, memory: ReplyMemory = new ReplyMemory()) {
    this.#keptAlive = keptAliveFor(keepAliveMillis);
    this.#memory = memory;
  }

  /** `done` is called once, when the last byte is handed to the system or the client is gone. */
  send(connection: Connection, outgoing: Outgoing, done: (sent: Sent) => void): void {
    this.#queue.push({ connection, outgoing, done });
  }

  #write(waiting: Waiting): void {
    const { connection, outgoing } = waiting;
    const { body } = outgoing.reply;
    if (connection.isGone) finish(waiting, { bytes: 0 });
    else if (isShort(body)) this.#writeShort(waiting, body);
    else {
      const hold = outgoing.hold ?? this.#memory.hold(connection);
      this.#writeLong(connection, outgoing, body, hold).then(
        (bytes) => {
          hold.close();
          finish(waiting, { bytes });
        },
        (error) => {
          hold.close();
          breakOff(waiting, error);
        },
      );
    }
  }

  #writeShort(waiting: Waiting, body: string | Buffer | undefined): void {
    const { connection, outgoing } = waiting;
    try {
      const bytes = writeWhole(connection, outgoing, body, this.#keptAlive);
      // Nearly always the system has all of it now, and there is nothing to count.
      if (connection.isBehind) this.#countUnsent(connection);
      finish(waiting, { bytes });
    } catch (error) {
      // Other replies wait behind this one: what is wrong with it must not reach them.
      breakOff(waiting, error);
    }
  }

  #countUnsent(connection: Connection): void {
    const hold = this.#memory.hold(connection);
    hold.setUnsent(connection.unsentBytes);
    connection.whenDrained(() => hold.close());
  }

  #writeLong(
    connection: Connection,
    outgoing: Outgoing,
    body: string | Buffer | readonly Buffer[] | AsyncIterable<Uint8Array>,
    hold: ReplyHold,
  ): Promise<number> {
    if (isStream(body)) return writeStream(connection, outgoing, body, { keptAlive: this.#keptAlive, hold });
    const buffers = buffersOf(body, outgoing.reply.isMarked === true);
    return writeBuffers(connection, outgoing, buffers, { keptAlive: this.#keptAlive, hold });
  }
}

type Body = NonNullable<HttpReply["body"]>;

/** Written in one go, whether or not the client reads: one for each connection, and so not much memory. */
function isShort(body: Body | undefined): body is string | Buffer | undefined {
  return (
    body === undefined ||
    ((typeof body === "string" || Buffer.isBuffer(body)) && body.length <= LIMITS.replyPartBytes)
  );
}

function isStream(body: Body): body is AsyncIterable<Uint8Array> {
  return typeof body !== "string" && !Array.isArray(body) && !Buffer.isBuffer(body);
}

function buffersOf(body: string | Buffer | readonly Buffer[], isMarked: boolean): readonly Buffer[] {
  if (typeof body === "string") return [Buffer.from(isMarked ? BOM + body : body, "utf8")];
  return Buffer.isBuffer(body) ? [body] : body;
}

function finish({ outgoing, done }: Waiting, sent: Sent): void {
  outgoing.reply.release?.();
  outgoing.hold?.close();
  done(sent);
}

function breakOff(waiting: Waiting, error: unknown): void {
  // Part of the reply may be out. Ending the connection is the only way left to say that it is not whole.
  waiting.connection.destroy();
  finish(waiting, { bytes: 0, error });
}

/** Up to this size a body travels in one string with its headers: one write costs half of what two do. */
const JOINED_BYTES_MAX = 16 * KIB;

/** Writes a reply whose body is at hand. Returns the bytes of the body. */
export function writeWhole(
  connection: Connection,
  outgoing: Outgoing,
  body: string | Buffer | undefined,
  keptAlive: string,
): number {
  const { status, length, isMarked } = outgoing.reply;
  const bytes =
    body === undefined || body === ""
      ? NOTHING
      : typeof body === "string"
        ? binaryOf(body, isMarked === true)
        : body;
  const hasLength = status !== 204 && status !== 304;
  const told = outgoing.isHead ? (length ?? bytes.length) : bytes.length;
  const rest = outgoing.isHead ? NOTHING : bytes;
  const { keepsAlive } = connection;
  const head = printHead(outgoing, hasLength ? told : undefined) + (keepsAlive ? keptAlive : CLOSED);
  if (rest.length <= JOINED_BYTES_MAX) {
    const text = typeof rest === "string" ? rest : rest.latin1Slice();
    connection.sendWhole(head + text, keepsAlive);
  } else {
    connection.cork();
    connection.write(head);
    connection.write(rest);
    connection.uncork();
    connection.finish(keepsAlive);
  }
  return bytes.length;
}

const CLOSED = "Connection: close\r\n\r\n";

/**
 * A tab, or what can be seen in Latin-1. By hand: values are short, and a regular expression is slow to
 * start.
 */
function canBeSent(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const unit = value.charCodeAt(at);
    if (unit < 0x20 ? unit !== 0x09 : unit === 0x7f || unit > 0xff) return false;
  }
  return true;
}

/** The last header of a reply on a connection that stays. */
export function keptAliveFor(keepAliveMillis: number): string {
  return `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMillis / 1_000)}\r\n\r\n`;
}

/** The head of a reply but for the last header, which says what becomes of the connection. */
function printHead(outgoing: Outgoing, length: number | undefined): string {
  const { status, reason, headers } = outgoing.reply;
  let head = `HTTP/1.1 ${status} ${reason ?? STATUS_CODES[status] ?? ""}\r\nServer: Holdfast\r\n`;
  if (outgoing.requestId !== undefined) head += `x-ms-request-id: ${outgoing.requestId}\r\n`;
  if (outgoing.version !== undefined) head += `x-ms-version: ${outgoing.version}\r\n`;
  if (outgoing.clientRequestId !== undefined)
    head += `x-ms-client-request-id: ${outgoing.clientRequestId}\r\n`;
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    // What a client stored comes back here: a line end in it would let that client write our headers.
    if (!canBeSent(value)) throw new InvariantBroken(`the value of the header ${name} cannot be sent`);
    head += `${name}: ${value}\r\n`;
  }
  if (length !== undefined) head += `Content-Length: ${length}\r\n`;
  return `${head}Date: ${printHttpDate(systemClock.now())}\r\n`;
}

const NOTHING = Buffer.alloc(0);
const ASCII = /^[\x00-\x7f]*$/;
const BOM = "\ufeff";
const BINARY_BOM = "\xef\xbb\xbf";

/**
 * The bytes of a text as a binary string or a buffer: nearly all replies are plain, save for the mark in
 * front.
 */
function binaryOf(text: string, isMarked: boolean): string | Buffer {
  if (ASCII.test(text)) return isMarked ? BINARY_BOM + text : text;
  if (isMarked) return Buffer.from(BOM + text, "utf8");
  if (text.startsWith(BOM)) {
    const rest = text.slice(1);
    if (ASCII.test(rest)) return BINARY_BOM + rest;
  }
  return Buffer.from(text, "utf8");
}

interface Pace {
  readonly keptAlive: string;
  readonly hold: ReplyHold;
}

/** A long body that is in memory: a part of it at a time, the next one when the client has read so far. */
async function writeBuffers(
  connection: Connection,
  outgoing: Outgoing,
  buffers: readonly Buffer[],
  { keptAlive, hold }: Pace,
): Promise<number> {
  let length = 0;
  for (const buffer of buffers) length += buffer.length;
  const { keepsAlive } = connection;
  const head = printHead(outgoing, outgoing.reply.length ?? length) + (keepsAlive ? keptAlive : CLOSED);
  if (outgoing.isHead) {
    connection.sendWhole(head, keepsAlive);
    return length;
  }
  let unsent = length;
  hold.exchange(unsent);
  connection.cork();
  let drained = connection.write(head);
  let partBytes = 0;
  for (const part of partsOf(buffers)) {
    drained = connection.write(part) ?? drained;
    partBytes += part.length;
    unsent -= part.length;
    if (partBytes < LIMITS.replyPartBytes && unsent > 0) continue;
    partBytes = 0;
    connection.uncork();
    if (connection.isBehind && drained !== undefined) {
      hold.setUnsent(unsent + connection.unsentBytes);
      await drained;
    }
    drained = undefined;
    hold.setUnsent(unsent);
    if (connection.isGone) return length - unsent;
    if (unsent > 0) connection.cork();
  }
  connection.finish(keepsAlive);
  return length;
}

/** None longer than what is written at once. */
function* partsOf(buffers: readonly Buffer[]): Generator<Buffer> {
  for (const buffer of buffers) {
    if (buffer.length <= LIMITS.replyPartBytes) yield buffer;
    else {
      for (let at = 0; at < buffer.length; at += LIMITS.replyPartBytes)
        yield buffer.subarray(at, at + LIMITS.replyPartBytes);
    }
  }
}

/** Bytes of the body that went out before the client went away or all was written. */
async function writeStream(
  connection: Connection,
  outgoing: Outgoing,
  body: AsyncIterable<Uint8Array>,
  { keptAlive, hold }: Pace,
): Promise<number> {
  const { status, length, heldBytes = 0 } = outgoing.reply;
  hold.exchange(heldBytes);
  const isChunked = length === undefined && status !== 204 && status !== 304 && !outgoing.isOld;
  const keepsAlive = connection.keepsAlive && (length !== undefined || isChunked);
  const coding = isChunked ? "Transfer-Encoding: chunked\r\n" : "";
  let head: string | undefined = printHead(outgoing, length) + coding + (keepsAlive ? keptAlive : CLOSED);
  let bytes = 0;
  if (!outgoing.isHead) {
    for await (const piece of body) {
      if (connection.isGone) {
        release(piece);
        return bytes;
      }
      if (piece.length === 0) continue;
      bytes += piece.length;
      connection.cork();
      if (head !== undefined) connection.write(head);
      head = undefined;
      if (isChunked) connection.write(`${piece.length.toString(16)}\r\n`);
      let room = connection.write(piece);
      if (isChunked) room = connection.write("\r\n") ?? room;
      connection.uncork();
      if (room === undefined) continue;
      if (connection.isBehind) hold.setUnsent(heldBytes + connection.unsentBytes);
      await room;
      hold.setUnsent(heldBytes);
    }
    assert(length === undefined || bytes === length, "a reply is as long as it says");
  }
  if (connection.isGone) return bytes;
  if (head !== undefined) connection.write(head);
  if (isChunked && !outgoing.isHead) connection.write("0\r\n\r\n");
  connection.finish(keepsAlive);
  return bytes;
}
