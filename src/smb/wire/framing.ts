import { copyInto } from "../../base/bytes.ts";
import type { OwnedChunk } from "../../memory/pooled-buffer.ts";
import { protocolError } from "./status.ts";

/**
 * Direct TCP: a zero byte, the length in 24 bits big-endian, then that many bytes. The assembler turns the
 * chunks of a socket into whole messages. A message inside one chunk is a view of it; one that spans chunks
 * is gathered into a buffer of its final size, so no byte is copied twice. With memory of its own, the
 * assembler gathers every message, because the socket reuses its chunks, and the socket may read straight
 * into `place`.
 */
export const PREFIX_BYTES = 4;

export interface GatheringMemory {
  /** A buffer of exactly this length, which the caller owns. */
  acquireFrame(length: number): OwnedChunk;
}

export class FrameAssembler {
  #bytesMax: number;
  readonly #prefix = Buffer.alloc(PREFIX_BYTES);
  #prefixBytes = 0;
  #frame: OwnedChunk | undefined;
  #filled = 0;
  readonly #memory: GatheringMemory | undefined;

  constructor(bytesMax: number, memory?: GatheringMemory) {
    this.#bytesMax = bytesMax;
    this.#memory = memory;
  }

  /** Sets the longest message from now on. */
  allow(bytesMax: number): void {
    this.#bytesMax = bytesMax;
  }

  /** Where the rest of the current message belongs; undefined between messages. */
  get place(): Buffer | undefined {
    return this.#frame?.subarray(this.#filled);
  }

  /** The socket has read `count` bytes into `place`. */
  placed(count: number, take: (frame: OwnedChunk) => void): void {
    const frame = this.#frame!;
    this.#filled += count;
    if (this.#filled < frame.length) return;
    this.#frame = undefined;
    take(frame);
  }

  /** Calls `take` for every message that `chunk` completes. Throws a ProtocolError for an invalid prefix. */
  add(chunk: Buffer, take: (frame: OwnedChunk) => void): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#frame !== undefined) {
        at += this.#fill(this.#frame, chunk, at, take);
        continue;
      }
      const copied = Math.min(PREFIX_BYTES - this.#prefixBytes, chunk.length - at);
      chunk.copy(this.#prefix, this.#prefixBytes, at, at + copied);
      this.#prefixBytes += copied;
      at += copied;
      if (this.#prefixBytes < PREFIX_BYTES) return;
      this.#prefixBytes = 0;
      const length = this.#checkedLength();
      if (this.#memory === undefined && chunk.length - at >= length) {
        take(chunk.subarray(at, at + length));
        at += length;
      } else {
        this.#frame = this.#memory?.acquireFrame(length) ?? Buffer.allocUnsafeSlow(length);
        this.#filled = 0;
      }
    }
  }

  #fill(frame: OwnedChunk, chunk: Buffer, at: number, take: (frame: OwnedChunk) => void): number {
    const copied = Math.min(frame.length - this.#filled, chunk.length - at);
    copyInto(frame, chunk.subarray(at, at + copied), this.#filled);
    this.placed(copied, take);
    return copied;
  }

  #checkedLength(): number {
    if (this.#prefix[0] !== 0) throw protocolError("not a direct TCP message");
    const length = this.#prefix.readUIntBE(1, 3);
    if (length < PREFIX_BYTES || length > this.#bytesMax) throw protocolError(`a message of ${length} bytes`);
    return length;
  }
}

export function prefixFor(length: number): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUIntBE(length, 1, 3);
  return prefix;
}
