import type { Random } from "../../src/base/random.ts";

/** New inputs from old ones: small changes in a stack, as the well-known fuzzers make them. */
export const INPUT_BYTES_MAX = 16 * 1_024;
const STACK_MAX = 6;
const INTERESTING = [0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000];
const NUMBERS = ["0", "-1", "1", "2147483648", "4294967296", "9223372036854775808", "1e999", "00", "NaN"];

export class Mutator {
  readonly #random: Random;
  readonly #words: readonly Buffer[];

  constructor(random: Random, words: readonly string[]) {
    this.#random = random;
    this.#words = words.map((word) => Buffer.from(word, "latin1"));
  }

  below(count: number): number {
    return Math.floor(this.#random.fraction() * count);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }

  mutate(input: Buffer, others: readonly Buffer[]): Buffer {
    let out: Buffer = Buffer.from(input);
    for (let left = 1 + this.below(STACK_MAX); left > 0; left--) out = this.#change(out, others);
    return out.length > INPUT_BYTES_MAX ? out.subarray(0, INPUT_BYTES_MAX) : out;
  }

  #change(input: Buffer, others: readonly Buffer[]): Buffer {
    if (input.length === 0) return this.#random.bytes(1 + this.below(16));
    const at = this.below(input.length);
    switch (this.below(12)) {
      case 0:
        input[at]! ^= 1 << this.below(8);
        return input;
      case 1:
        input[at] = this.pick(INTERESTING) & 0xff;
        return input;
      case 2:
        return this.#number(input, at);
      case 3:
        return splice(input, at, 0, this.#random.bytes(1 + this.below(8)));
      case 4:
        return splice(input, at, 1 + this.below(Math.min(32, input.length - at)), EMPTY);
      case 5: {
        const chunk = input.subarray(at, at + 1 + this.below(64));
        return splice(input, this.below(input.length), 0, chunk);
      }
      case 6: {
        // Many times the same: what costs more than its length shows here.
        const chunk = input.subarray(at, at + 1 + this.below(16));
        const count = 1 << this.below(11);
        return splice(input, at, 0, Buffer.alloc(Math.min(chunk.length * count, INPUT_BYTES_MAX), chunk));
      }
      case 7:
      case 8: {
        if (this.#words.length === 0) return input;
        const word = this.pick(this.#words);
        return splice(input, at, this.below(2) === 0 ? 0 : word.length, word);
      }
      case 9: {
        const digits = /\d+/.exec(input.toString("latin1", at, at + 64));
        if (digits === null) return input.subarray(0, Math.max(1, at));
        return splice(input, at + digits.index, digits[0].length, Buffer.from(this.pick(NUMBERS)));
      }
      case 10: {
        const other = this.pick(others);
        const from = this.below(other.length + 1);
        return splice(input, at, input.length - at, other.subarray(from));
      }
      default: {
        const other = this.pick(others);
        const from = this.below(other.length + 1);
        return splice(input, at, 0, other.subarray(from, from + this.below(256)));
      }
    }
  }

  /** A field of 2, 4 or 8 bytes, in either order, set to a bound or moved a little. */
  #number(input: Buffer, at: number): Buffer {
    const bytes = this.pick([2, 4, 8]);
    if (at + bytes > input.length) return input;
    const part = Math.min(bytes, 4);
    if (this.below(2) === 0) {
      const value = (input.readUIntLE(at, part) + this.below(33) - 16) >>> 0;
      input.writeUIntLE(value % 2 ** (8 * part), at, part);
    } else {
      const value = this.pick(INTERESTING) % 2 ** (8 * part);
      if (this.below(4) === 0) input.writeUIntBE(value, at, part);
      else input.writeUIntLE(value, at, part);
      if (bytes === 8) input.writeUInt32LE(this.below(2) === 0 ? 0 : 0xffff_ffff, at + 4);
    }
    return input;
  }
}

const EMPTY = Buffer.alloc(0);

function splice(input: Buffer, at: number, removed: number, added: Buffer): Buffer {
  return Buffer.concat([input.subarray(0, at), added, input.subarray(at + removed)]);
}
