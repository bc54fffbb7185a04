import { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { KIB, LIMITS } from "../base/limits.ts";

/** Where the bytes of a socket go. */
export interface ReadTarget {
  /** The buffer that the next bytes belong to; undefined when nobody knows yet what they are. */
  readonly place: () => Buffer | undefined;
  readonly placed: (count: number) => void;
  /** Bytes in a buffer that is the caller's again afterwards. */
  readonly lent: (piece: Buffer) => void;
  /** Bytes in a buffer that nobody else knows, from a socket that cannot be told where to read to. */
  readonly given?: (piece: Buffer) => void;
}

/**
 * Node.js gives every read a new buffer, of 64 KiB or of a record of TLS. For a message of megabytes that is
 * as much garbage as payload, and one more copy; for a small one, making the buffer takes longer than reading
 * it; and what thousands of slow clients have sent stays in memory until the heap is marked. A socket can
 * read into buffers of its owner, but only one that was made so: an accepted socket gives its handle to a new
 * one. On Windows a read waits with its buffer, which no other connection may use meanwhile: there, and for a
 * socket without a handle, pieces come as they always do.
 */
const borrowedBuffer = Buffer.allocUnsafeSlow(64 * KIB);

interface Accepted {
  readonly allowHalfOpen: boolean;
  _handle: object | null;
}

/** The socket to use from here on. Closing it closes the one that was given. */
export function readInto(socket: Socket, target: ReadTarget): Socket {
  const accepted = socket as unknown as Accepted;
  const handle = accepted._handle;
  if (handle === null || typeof handle !== "object") return receiveGiven(socket, target);
  if (socket instanceof TLSSocket) return readSecurely(socket, target);
  if (process.platform === "win32") return receiveGiven(socket, target);
  const reading = new Reading(target);
  accepted._handle = null;
  const options = {
    handle,
    allowHalfOpen: accepted.allowHalfOpen,
    onread: { buffer: reading.next, callback: reading.received },
  };
  const reader = new Socket(options as unknown as ConstructorParameters<typeof Socket>[0]);
  reading.reader = reader;
  // The listener counts the socket it accepted.
  reader.on("close", () => socket.destroy());
  return reader;
}

function receiveGiven(socket: Socket, target: ReadTarget): Socket {
  socket.on("data", target.given ?? target.lent);
  return socket;
}

/** Says for each read of one socket where its bytes go, and who hears of them. */
class Reading {
  readonly #target: ReadTarget;
  reader: Socket | undefined;
  #place: Buffer | undefined;
  #turnBytes = 0;

  constructor(target: ReadTarget) {
    this.#target = target;
  }

  readonly next = (): Buffer => {
    this.#place = this.#target.place();
    return this.#place ?? borrowedBuffer;
  };

  readonly received = (count: number): boolean => {
    if (this.#place === undefined) this.#target.lent(borrowedBuffer.subarray(0, count));
    else this.#target.placed(count);
    this.#turnBytes += count;
    if (this.#turnBytes < LIMITS.readBytesPerTick) return true;
    // Left alone, one client that sends fast is read 32 times before anybody else has a turn.
    setImmediate(this.#goOn);
    return false;
  };

  readonly #goOn = (): void => {
    this.#turnBytes = 0;
    const reader = this.reader!;
    if (!reader.destroyed && !reader.isPaused()) reader.resume();
  };
}

/**
 * A socket of TLS is made by Node.js, which offers no such buffers for it, but it looks for them where every
 * socket has them. Where a later Node.js keeps them elsewhere, pieces come as they always do. Bytes are
 * deciphered into the buffer and handed over at once, on Windows too. What was deciphered before comes as
 * data of the stream.
 */
function readSecurely(socket: TLSSocket, target: ReadTarget): Socket {
  receiveGiven(socket, target);
  const handle = (socket as unknown as { _handle: { useUserBuffer?(buffer: Buffer): void } })._handle;
  secureFields ??= findFields(socket);
  if (secureFields === undefined || typeof handle.useUserBuffer !== "function") return socket;
  const reading = new Reading(target);
  reading.reader = socket;
  const buffer = reading.next();
  const fields = socket as unknown as Record<symbol, unknown>;
  fields[secureFields.buffer] = buffer;
  fields[secureFields.callback] = reading.received;
  fields[secureFields.next] = reading.next;
  handle.useUserBuffer(buffer);
  return socket;
}

interface Fields {
  readonly buffer: symbol;
  readonly callback: symbol;
  readonly next: symbol;
}

let secureFields: Fields | undefined;

function findFields(socket: Socket): Fields | undefined {
  const own = Object.getOwnPropertySymbols(socket);
  const named = (name: string): symbol | undefined => own.find(({ description }) => description === name);
  const [buffer, callback, next] = [named("kBuffer"), named("kBufferCb"), named("kBufferGen")];
  if (buffer === undefined || callback === undefined || next === undefined) return undefined;
  return { buffer, callback, next };
}
