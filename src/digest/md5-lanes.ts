import { WASM_PAGE_BYTES } from "../memory/shared-memory.ts";
import { constantOf, MD5_START, rotationOf, wordOf } from "./md5-steps.ts";
import {
  again,
  block,
  type Code,
  END,
  get,
  I32_ADD,
  I32_GE_U,
  I32X4_ADD,
  I32X4_SHL,
  I32X4_SHR_U,
  i32,
  leaveIf,
  loadV128,
  loop,
  set,
  shuffle,
  simd,
  startWasm,
  storeV128,
  tee,
  V128,
  V128_OR,
  V128_XOR,
} from "./wasm.ts";

/**
 * MD5 of up to eight buffers at once (decision 0055). Each step of MD5 needs the one before, so one buffer
 * leaves most of the processor idle; eight of them, four in each of two vectors, take little longer than one.
 *
 * Memory: the eight states (A, B, C, D of the first vector, then of the second), from 1 KiB the current
 * block, word by word in two vectors each, from 2 KiB the constants, from 4 KiB the buffers.
 */
export const LANES = 8;
export const LANE_BYTES_MAX = 8_192;

const BLOCK_BYTES = 64;
/** The padding: at least one byte, and eight for the length in bits. */
const ENDING_BYTES = 9;
const LANE_STRIDE = blocksOf(LANE_BYTES_MAX) * BLOCK_BYTES;
const WORDS_AT = 1_024;
const CONSTANTS_AT = 2_048;
const INPUT_AT = 4_096;
const VECTOR_BYTES = 16;
const GROUPS = 2;
const PER_GROUP = LANES / GROUPS;

/** A digest with two zeros, which make it whole groups of Base64, and its text. */
const PRINTED_BYTES = 18;
const PRINTED_CHARS = 24;
const printed = Buffer.alloc(LANES * PRINTED_BYTES);

/** The blocks of a buffer with its padding. All buffers of one call must have equally many. */
export function blocksOf(bytes: number): number {
  return Math.ceil((bytes + ENDING_BYTES) / BLOCK_BYTES);
}

/** Picks words of two vectors; those of the second have the numbers from 4 on. */
const pick = (words: Code): number[] =>
  shuffle(words.flatMap((word) => [0, 1, 2, 3].map((byte) => word * 4 + byte)));
const NOT = simd(0x4d);
const AND = simd(0x4e);

// Locals: the two parameters, then vectors.
const [AT, ENDS_AT] = [0, 1];
const STATES = 2;
const ROWS = STATES + 8;
const PAIRS = ROWS + 4;
const SUM = PAIRS + 4;
const VECTORS = SUM + 1 - STATES;

/** The four functions of MD5, of the locals b, c and d. */
const MIX: readonly ((b: number, c: number, d: number) => number[])[] = [
  (b, c, d) => [...get(c), ...get(d), ...V128_XOR, ...get(b), ...AND, ...get(d), ...V128_XOR],
  (b, c, d) => [...get(b), ...get(c), ...V128_XOR, ...get(d), ...AND, ...get(c), ...V128_XOR],
  (b, c, d) => [...get(c), ...get(d), ...V128_XOR, ...get(b), ...V128_XOR],
  (b, c, d) => [...get(d), ...NOT, ...get(b), ...V128_OR, ...get(c), ...V128_XOR],
];

/** Transposes sixteen words of four buffers: from buffer after buffer to word after word. */
function rotateBlock(group: number): number[] {
  const out: number[] = [];
  for (let quarter = 0; quarter < 4; quarter++) {
    for (let lane = 0; lane < PER_GROUP; lane++) {
      const from = INPUT_AT + (group * PER_GROUP + lane) * LANE_STRIDE + quarter * VECTOR_BYTES;
      out.push(...get(AT), ...loadV128(from), ...set(ROWS + lane));
    }
    const pair = (into: number, first: number, second: number, words: Code): void => {
      out.push(...get(first), ...get(second), ...pick(words), ...set(into));
    };
    pair(PAIRS, ROWS, ROWS + 1, [0, 4, 1, 5]);
    pair(PAIRS + 1, ROWS + 2, ROWS + 3, [0, 4, 1, 5]);
    pair(PAIRS + 2, ROWS, ROWS + 1, [2, 6, 3, 7]);
    pair(PAIRS + 3, ROWS + 2, ROWS + 3, [2, 6, 3, 7]);
    for (let word = 0; word < 4; word++) {
      const half = PAIRS + (word >> 1) * 2;
      const words = (word & 1) === 0 ? [0, 1, 4, 5] : [2, 3, 6, 7];
      out.push(...i32(0), ...get(half), ...get(half + 1), ...pick(words));
      out.push(...storeV128(wordAt(group, quarter * 4 + word)));
    }
  }
  return out;
}

const wordAt = (group: number, word: number): number => WORDS_AT + (group * 16 + word) * VECTOR_BYTES;

function step(group: number, index: number): number[] {
  const round = index >> 4;
  const place = (letter: number): number => STATES + group * 4 + ((letter + 64 - index) & 3);
  const [a, b, c, d] = [place(0), place(1), place(2), place(3)] as const;
  const rotation = rotationOf(index);
  return [
    ...[...get(a), ...i32(0), ...loadV128(wordAt(group, wordOf(index))), ...I32X4_ADD],
    ...[...i32(0), ...loadV128(CONSTANTS_AT + index * VECTOR_BYTES), ...I32X4_ADD],
    ...[...MIX[round]!(b, c, d), ...I32X4_ADD, ...tee(SUM), ...i32(rotation), ...I32X4_SHL],
    ...[...get(SUM), ...i32(32 - rotation), ...I32X4_SHR_U, ...V128_OR, ...get(b), ...I32X4_ADD, ...set(a)],
  ];
}

/** run(at, end): adds the blocks from `at` to `end` of every buffer to the states. */
function blocksCode(): number[] {
  const groups = [0, 1];
  const states = groups.flatMap((group) => [0, 1, 2, 3].map((letter) => group * 4 + letter));
  return [
    ...[...block, ...loop],
    ...[...get(AT), ...get(ENDS_AT), I32_GE_U, ...leaveIf],
    ...groups.flatMap(rotateBlock),
    ...states.flatMap((state) => [...i32(0), ...loadV128(state * VECTOR_BYTES), ...set(STATES + state)]),
    ...Array.from({ length: 64 }, (_, index) => groups.flatMap((group) => step(group, index))).flat(),
    ...states.flatMap((state) => [
      ...[...i32(0), ...i32(0), ...loadV128(state * VECTOR_BYTES), ...get(STATES + state), ...I32X4_ADD],
      ...storeV128(state * VECTOR_BYTES),
    ]),
    ...[...get(AT), ...i32(BLOCK_BYTES), I32_ADD, ...set(AT), ...again, END, END, END],
  ];
}

export class Md5Lanes {
  readonly #run: (at: number, end: number) => void;
  readonly #words: Uint32Array;
  readonly #bytes: Buffer;

  constructor() {
    const { memory, run } = startWasm({
      pages: Math.ceil((INPUT_AT + LANES * LANE_STRIDE) / WASM_PAGE_BYTES),
      locals: [{ count: VECTORS, type: V128 }],
      code: blocksCode(),
    });
    this.#run = run;
    this.#words = new Uint32Array(memory);
    this.#bytes = Buffer.from(memory);
    for (let index = 0; index < 64; index++) {
      this.#words.fill(constantOf(index), CONSTANTS_AT / 4 + index * 4, CONSTANTS_AT / 4 + index * 4 + 4);
    }
  }

  /** The digests, in Base64, of up to eight buffers with equally many blocks. */
  digests(buffers: readonly Uint8Array[]): string[] {
    const ends = blocksOf(buffers[0]!.length) * BLOCK_BYTES;
    for (let lane = 0; lane < buffers.length; lane++) this.#place(lane, buffers[lane]!, ends);
    for (let state = 0; state < 8; state++) this.#words.fill(MD5_START[state & 3]!, state * 4, state * 4 + 4);
    this.#run(0, ends);
    return this.#print(buffers.length);
  }

  /** Encodes all in one call: with two zeros after each digest, its text ends where the next begins. */
  #print(count: number): string[] {
    for (let lane = 0; lane < count; lane++) {
      const first = Math.floor(lane / PER_GROUP) * 16 + (lane % PER_GROUP);
      for (let letter = 0; letter < 4; letter++)
        printed.writeUInt32LE(this.#words[first + letter * 4]!, lane * PRINTED_BYTES + letter * 4);
    }
    const text = printed.base64Slice(0, count * PRINTED_BYTES);
    const digests: string[] = [];
    for (let from = 0; from < text.length; from += PRINTED_CHARS)
      digests.push(`${text.slice(from, from + PRINTED_CHARS - 2)}==`);
    return digests;
  }

  #place(lane: number, buffer: Uint8Array, ends: number): void {
    const at = INPUT_AT + lane * LANE_STRIDE;
    this.#bytes.set(buffer, at);
    this.#bytes[at + buffer.length] = 0x80;
    this.#bytes.fill(0, at + buffer.length + 1, at + ends);
    this.#bytes.writeUInt32LE(buffer.length * 8, at + ends - 8);
  }
}
