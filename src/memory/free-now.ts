import { MessageChannel } from "node:worker_threads";
import { KIB } from "../base/limits.ts";

/** A closed port: the memory of what is transferred to it is freed. */
const closedPort = new MessageChannel().port1;
closedPort.close();

/**
 * Frees the memory of a buffer at once; the buffer, and every other view of that memory, is empty afterwards.
 * Left to the garbage collector, the output of a cipher for a gigabyte is a gigabyte of new memory, which the
 * system has to find and clear, and for each 64 MiB of it V8 marks the whole heap. Node.js has no function
 * for this, but it frees memory that is transferred to a closed port.
 */
export function freeNow(bytes: Uint8Array): void {
  closedPort.postMessage(undefined, [bytes.buffer as ArrayBuffer]);
}

/** Below this, freeing costs more than the garbage collector's work for it. */
const FREED_BYTES_MIN = 64 * KIB;

/** The same for a buffer whose memory is long enough and has no other view. */
export function freeIfAlone(bytes: Uint8Array): void {
  const isAlone = bytes.length === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer;
  if (isAlone && bytes.length >= FREED_BYTES_MIN) freeNow(bytes);
}
