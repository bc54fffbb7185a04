import { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { KIB, LIMITS } from "./limits.ts";

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
 * Node.js gives every read a new buffer of 64 KiB. For a message of megabytes that is as much garbage as payload, and
 * one more copy; for a small one, making the buffer takes longer than reading it. A socket can read into buffers of its owner, but only one that was made so: an accepted socket gives
 * its handle to a new one. On Windows a read waits with its buffer, which no other connection may use meanwhile:
 * there, with TLS, and for a socket without a handle, pieces come as they always do.
 */
const lentBuffer = Buffer.allocUnsafeSlow(64 * KIB);

interface Accepted {
  readonly allowHalfOpen: boolean;
  _handle: object | null;
}

/** The socket to use from here on. Closing it closes the one that was given. */
export function readInto(socket: Socket, target: ReadTarget): Socket {
  const accepted = socket as unknown as Accepted;
  const handle = accepted._handle;
  const isPlain = process.platform !== "win32" && !(socket instanceof TLSSocket);
  if (!isPlain || handle === null || typeof handle !== "object") {
    socket.on("data", target.given ?? target.lent);
    return socket;
  }
  let place: Buffer | undefined;
  const next = (): Buffer => {
    place = target.place();
    return place ?? lentBuffer;
  };
  let turnBytes = 0;
  const received = (count: number): boolean => {
    if (place === undefined) target.lent(lentBuffer.subarray(0, count));
    else target.placed(count);
    turnBytes += count;
    if (turnBytes < LIMITS.readBytesPerTurn) return true;
    // Left alone, one client that sends fast is read 32 times before anybody else has a turn.
    setImmediate(goOn);
    return false;
  };
  const goOn = (): void => {
    turnBytes = 0;
    if (!reader.destroyed && !reader.isPaused()) reader.resume();
  };
  accepted._handle = null;
  const options = {
    handle,
    allowHalfOpen: accepted.allowHalfOpen,
    onread: { buffer: next, callback: received },
  };
  const reader = new Socket(options as unknown as ConstructorParameters<typeof Socket>[0]);
  // The listener counts the socket it accepted.
  reader.on("close", () => socket.destroy());
  return reader;
}
