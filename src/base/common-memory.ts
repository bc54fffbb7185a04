import { LIMITS } from "./limits.ts";
import { SharedMemory, WASM_PAGE_BYTES } from "./wasm.ts";

/**
 * Memory that WebAssembly and the thread of digests see as well: payload that lies in it is checked and digested where
 * it is, without a copy. The system finds real memory only for what is used of it.
 */
let memory: SharedMemory | undefined;
let reservedBytes = 0;
let partsBytes = 0;
const buffers = new WeakSet<ArrayBufferLike>();

export function commonMemory(): SharedMemory {
  memory ??= new SharedMemory(LIMITS.commonMemoryBytes / WASM_PAGE_BYTES);
  return memory;
}

/** A part that is kept for ever: where it begins. Undefined when there is no room for it. */
export function reserveCommon(bytes: number): number | undefined {
  const at = reservedBytes;
  const end = at + Math.ceil(bytes / WASM_PAGE_BYTES) * WASM_PAGE_BYTES;
  if (end > LIMITS.commonMemoryBytes) return undefined;
  reservedBytes = end;
  return at;
}

/** Whether bytes lie in it: they begin at their `byteOffset`. */
export function isCommon(bytes: Uint8Array): boolean {
  return buffers.has(bytes.buffer);
}

/**
 * Parts of one size. Each has a buffer of its own over the whole memory, so the garbage collector knows when nobody has
 * bytes of a part any more, as with any other memory: it need not be given back.
 */
export class CommonParts {
  readonly #partBytes: number;
  readonly #countMax: number;
  #count = 0;
  /** Where parts begin that the garbage collector has found. */
  readonly #found: number[] = [];
  readonly #collector = new FinalizationRegistry((at: number) => this.#found.push(at));

  constructor(partBytes: number, bytesMax: number) {
    this.#partBytes = partBytes;
    this.#countMax = Math.floor(bytesMax / partBytes);
  }

  /** Undefined when all of them are in use. */
  take(): Buffer | undefined {
    const at = this.#found.pop() ?? this.#reserve();
    if (at === undefined) return undefined;
    const buffer = commonMemory().newBuffer();
    buffers.add(buffer);
    this.#collector.register(buffer, at);
    return Buffer.from(buffer, at, this.#partBytes);
  }

  /** Parts leave room for what is reserved, however late: checksums and digests cannot do without theirs. */
  #reserve(): number | undefined {
    if (this.#count === this.#countMax) return undefined;
    if (partsBytes + this.#partBytes > LIMITS.commonPartsBytesMax) return undefined;
    const at = reserveCommon(this.#partBytes);
    if (at === undefined) return undefined;
    this.#count++;
    partsBytes += this.#partBytes;
    return at;
  }
}
