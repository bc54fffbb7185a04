import { crc32 as ofZlib } from "node:zlib";
import { CrcEngine, type CrcKind } from "./crc-wasm.ts";

const ISO_HDLC: CrcKind = {
  polynomial: 0xedb8_8320n,
  folds: [1_927, 2_181, 4_018],
  shortFolds: [362, 398, 510, 526, 548],
};

/** From here on our own is faster, even if it has to copy the bytes. */
const LONG_BYTES = 8_192;

let engine: CrcEngine | undefined;

/** The CRC-32 of zlib; `seed` is that of what came before. */
export function crc32(bytes: Uint8Array, seed = 0): number {
  if (bytes.length < LONG_BYTES) return ofZlib(bytes, seed);
  engine ??= new CrcEngine(ISO_HDLC);
  const { state } = engine;
  state[0] = ~seed;
  state[1] = 0;
  engine.add(bytes);
  return ~state[0]! >>> 0;
}

/**
 * Checksums of bytes behind others, from those of both alone: of a frame whose place is not known yet, for example. For
 * bytes of one length, because that is how far the first checksum has to move.
 */
export class JoinedCrc32 {
  /** What each byte of the first checksum becomes, four tables. */
  readonly #moved = new Uint32Array(4 * 256);

  constructor(secondBytes: number) {
    const zeros = Buffer.alloc(secondBytes);
    // Without the ones that a checksum begins and ends with, it is a sum of what each bit alone would give.
    const bits = Array.from({ length: 32 }, (_, bit) => ~crc32(zeros, ~(1 << bit) >>> 0));
    for (let i = 0; i < this.#moved.length; i++) {
      const first = (i >> 8) * 8;
      for (let bit = 0; bit < 8; bit++) if (((i >> bit) & 1) === 1) this.#moved[i]! ^= bits[first + bit]!;
    }
  }

  join(first: number, second: number): number {
    const moved = this.#moved;
    const low = moved[first & 0xff]! ^ moved[0x100 | ((first >>> 8) & 0xff)]!;
    const high = moved[0x200 | ((first >>> 16) & 0xff)]! ^ moved[0x300 | (first >>> 24)]!;
    return (low ^ high ^ second) >>> 0;
  }
}
