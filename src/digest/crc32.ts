import { crc32 as ofZlib } from "node:zlib";
import { Lazy } from "../base/lazy.ts";
import { CrcEngine } from "./crc-wasm.ts";

/** From this length on our own CRC is faster than that of zlib, even if it has to copy the bytes. */
const LONG_BYTES = 8_192;

const isoHdlc = new Lazy(
  () =>
    new CrcEngine({
      polynomial: 0xedb8_8320n,
      folds: [1_927, 2_181, 4_018],
      shortFolds: [362, 398, 510, 526, 548],
    }),
);

/** The CRC-32 of zlib; `seed` is the checksum of the bytes before. */
export function crc32(bytes: Uint8Array, seed = 0): number {
  if (bytes.length < LONG_BYTES) return ofZlib(bytes, seed);
  const engine = isoHdlc.value;
  const { state } = engine;
  state[0] = ~seed;
  state[1] = 0;
  engine.add(bytes);
  return ~state[0]! >>> 0;
}

/**
 * The checksum of two byte strings together, from the checksums of each: for example of a frame whose
 * position is not known yet. The second has a fixed length, by which the first checksum has to move.
 */
export class JoinedCrc32 {
  /** Four tables: what each byte of the first checksum becomes. */
  readonly #moved = new Uint32Array(4 * 256);

  constructor(secondBytes: number) {
    const zeros = Buffer.alloc(secondBytes);
    // Without its initial and final inversion, a CRC is the sum of the CRCs of its bits.
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
