import { MessageChannel } from "node:worker_threads";
import { KIB } from "../base/limits.ts";

/** Closed: what is handed to it has arrived nowhere, and its memory is free. */
const nowhere = new MessageChannel().port1;
nowhere.close();

/**
 * Frees the memory of a buffer at once; the buffer, and every other view of that memory, is empty afterwards.
 * Left to the garbage collector, what a cipher makes of a gigabyte is a gigabyte of new memory, which the
 * system has to find and clear, and for each 64 MiB of it V8 marks the whole heap. Node.js has no function
 * for this: memory is free when it was transferred to somebody who is not there.
 */
export function freeNow(bytes: Uint8Array): void {
  nowhere.postMessage(undefined, [bytes.buffer as ArrayBuffer]);
}

/** Below this, freeing costs more than the garbage collector's work for it. */
const FREED_BYTES_MIN = 64 * KIB;

/**
 * The same of a buffer that its owner is done with, where it is worth it and no other buffer shares its
 * memory.
 */
export function freeIfAlone(bytes: Uint8Array): void {
  const isAlone = bytes.length === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer;
  if (isAlone && bytes.length >= FREED_BYTES_MIN) freeNow(bytes);
}
