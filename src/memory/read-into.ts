import { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { KIB, LIMITS } from "../base/limits.ts";

/** Where the bytes of a socket go. */
export interface ReadTarget {
  /** The buffer that the next bytes belong to; undefined while their use is not known yet. */
  readonly nextBuffer: () => Buffer | undefined;
  /** That buffer received so many bytes. */
  readonly onFilled: (count: number) => void;
  /** Bytes in a buffer that is used again as soon as this returns. */
  readonly onBorrowed: (chunk: Buffer) => void;
  /** Bytes in a buffer of their own, from a socket that cannot read into the caller's buffers. */
  readonly onOwned?: (chunk: Buffer) => void;
}

/**
 * Node.js allocates a new buffer for every read, of 64 KiB or of a TLS record. For a message of megabytes
 * that is as much garbage as payload, and one more copy; for a small one, the allocation takes longer than
 * the read; and chunks of thousands of slow clients stay in memory until the heap is marked. A socket can
 * read into buffers of its owner, but only one that was constructed so: an accepted socket passes its handle
 * to a new one. On Windows a pending read pins its buffer, which no other connection may use meanwhile:
 * there, and for a socket without a handle, chunks arrive in buffers of Node.js.
 */
const borrowedBuffer = Buffer.allocUnsafeSlow(64 * KIB);

interface Accepted {
  readonly allowHalfOpen: boolean;
  _handle: object | null;
}

/** The socket to use from here on. Closing it closes the accepted one. */
export function readInto(socket: Socket, target: ReadTarget): Socket {
  const accepted = socket as unknown as Accepted;
  const handle = accepted._handle;
  if (handle === null || typeof handle !== "object") return readOwned(socket, target);
  if (socket instanceof TLSSocket) return readTls(socket, target);
  if (process.platform === "win32") return readOwned(socket, target);
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

function readOwned(socket: Socket, target: ReadTarget): Socket {
  socket.on("data", target.onOwned ?? target.onBorrowed);
  return socket;
}

/** Chooses the buffer for each read of one socket, and passes on what was read. */
class Reading {
  readonly #target: ReadTarget;
  reader: Socket | undefined;
  #buffer: Buffer | undefined;
  #tickBytes = 0;

  constructor(target: ReadTarget) {
    this.#target = target;
  }

  readonly next = (): Buffer => {
    this.#buffer = this.#target.nextBuffer();
    return this.#buffer ?? borrowedBuffer;
  };

  readonly received = (count: number): boolean => {
    if (this.#buffer === undefined) this.#target.onBorrowed(borrowedBuffer.subarray(0, count));
    else this.#target.onFilled(count);
    this.#tickBytes += count;
    if (this.#tickBytes < LIMITS.readBytesPerTick) return true;
    // Without a bound, one client that sends fast is read 32 times before any other.
    setImmediate(this.#resume);
    return false;
  };

  readonly #resume = (): void => {
    this.#tickBytes = 0;
    const reader = this.reader!;
    if (!reader.destroyed && !reader.isPaused()) reader.resume();
  };
}

/**
 * Node.js constructs TLS sockets itself and has no such option for them, but they look for the buffers in the
 * same fields as every socket. A later Node.js may keep them elsewhere: then chunks arrive in its own
 * buffers. Bytes are decrypted into the buffer and passed on at once, on Windows too. Bytes decrypted earlier
 * arrive as data of the stream.
 */
function readTls(socket: TLSSocket, target: ReadTarget): Socket {
  readOwned(socket, target);
  const handle = (socket as unknown as { _handle: { useUserBuffer?(buffer: Buffer): void } })._handle;
  const symbols = Object.getOwnPropertySymbols(socket);
  const named = (name: string): symbol | undefined => symbols.find(({ description }) => description === name);
  const [kBuffer, kCallback, kNext] = [named("kBuffer"), named("kBufferCb"), named("kBufferGen")];
  if (kBuffer === undefined || kCallback === undefined || kNext === undefined) return socket;
  if (typeof handle.useUserBuffer !== "function") return socket;
  const reading = new Reading(target);
  reading.reader = socket;
  const buffer = reading.next();
  const fields = socket as unknown as Record<symbol, unknown>;
  fields[kBuffer] = buffer;
  fields[kCallback] = reading.received;
  fields[kNext] = reading.next;
  handle.useUserBuffer(buffer);
  return socket;
}
