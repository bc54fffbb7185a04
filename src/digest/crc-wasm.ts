import { assert } from "../base/assert.ts";
import { copyInto } from "../base/bytes.ts";
import { commonMemory } from "../memory/common-memory.ts";
import { WASM_PAGE_BYTES } from "../memory/shared-memory.ts";
import {
  again,
  block,
  copyBytes,
  END,
  fillBytes,
  get,
  I32,
  I32_ADD,
  I32_GE_U,
  I32_GT_U,
  I32_LT_U,
  I32_SHL,
  I32_SHR_U,
  I32_SUB,
  I32_WRAP_I64,
  I64,
  I64_AND,
  I64_SHR_U,
  I64_XOR,
  i32,
  i64,
  leaveBlockIf,
  leaveIf,
  loadByte,
  loadI64,
  loadV128,
  loop,
  set,
  startWasm,
  storeI64,
  storeV128,
  V128_XOR,
} from "./wasm.ts";

/**
 * The inner loop of CRCs of up to 64 bits as WebAssembly: every upload and every read of payload needs one
 * (decisions 0036 and 0055).
 *
 * "Slicing": table k holds the effect of a byte on the checksum k bytes later, so one step handles sixteen
 * bytes. That is 1.9 GB/s (plain TypeScript, on two halves of 32 bits: 0.8).
 *
 * "Folding", for long buffers: where the polynomial divides a sum of few powers of x^8, a byte can be removed
 * by adding it at the later positions of the other powers. This needs no table and handles sixteen bytes at
 * once. Here each position fetches from the earlier ones instead, which is one write instead of several. The
 * sums go to the window: a block of them, after the end of the block before, which is as far back as a fetch
 * goes. The tables handle the last few kilobytes; where closer powers are known, these are folded again, in
 * place, into some hundred bytes.
 *
 * Bytes in the shared memory are read in place; others are copied there first.
 *
 * Memory of an engine, from its base: the state (8 bytes), the tables (16 of 256 entries), zeros, the rest
 * after folding, the rest after the second folding, the window, copied input.
 */
const SLICES = 16;
const TABLES_AT = 1_024;
const LEFT_AT = 36_864;
const LAST_AT = 43_008;
const STEP_BYTES = 64;
const VECTOR_BYTES = 16;
/** The farthest fetch, in whole steps. */
const REACH_BYTES_MAX = 72 * STEP_BYTES;
const WINDOW_AT = 45_056;
const BLOCK_AT = WINDOW_AT + REACH_BYTES_MAX;
/** Small enough for the L1 cache, together with the input. */
const BLOCK_BYTES = 256 * STEP_BYTES;
const INPUT_AT = 2 * WASM_PAGE_BYTES;
const INPUT_BYTES_MAX = 3 * WASM_PAGE_BYTES;
const WORKSPACE_BYTES = INPUT_AT + INPUT_BYTES_MAX;

/** Shorter buffers gain nothing. */
export const FOLDED_BYTES_MIN = 8_192;

export interface CrcKind {
  /** Bits reversed. */
  readonly polynomial: bigint;
  /**
   * Distances at which a removed byte is added, nearest first: x^8 to the power of the last distance, plus
   * that power less each distance, is a multiple of the polynomial. Found by a search.
   */
  readonly folds: readonly number[];
  /** For the second folding: far enough apart that a sum has reached the cache before it is fetched. */
  readonly shortFolds?: readonly number[];
}

const [at, end, crc, first, second, rest, place, stop] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
const LOCALS = [
  { count: 3, type: I64 },
  { count: 3, type: I32 },
];

const forward = (local: number): number[] => [...get(local), ...i32(STEP_BYTES), I32_ADD, ...set(local)];

/** Folds a long buffer into its last bytes, and copies those for the tables. */
function foldBody(folds: readonly number[], base: number): number[] {
  const reach = folds.at(-1)!;
  const [left, window, firstBlock] = [base + LEFT_AT, base + WINDOW_AT, base + BLOCK_AT];
  /** Adds the earlier vectors to the one on the stack; `address` is that of the farthest. */
  const fetch = (address: readonly number[], part: number): number[] =>
    folds.flatMap((far) => [...address, ...loadV128(reach - far + part), ...V128_XOR]);
  const before = [...get(place), ...i32(reach), I32_SUB];
  const step: number[] = [];
  const last: number[] = [];
  for (let part = 0; part < STEP_BYTES; part += VECTOR_BYTES) {
    step.push(...get(place), ...get(at), ...loadV128(part), ...fetch(before, part), ...storeV128(part));
    last.push(...get(at), ...get(at), ...loadV128(part), ...fetch(before, part), ...storeV128(part));
  }
  return [
    // Only the state comes before the first byte, at the farthest distance, so that it is added once.
    ...[...i32(window), ...i32(0), ...i32(REACH_BYTES_MAX), ...fillBytes],
    ...[...i32(firstBlock - reach), ...get(crc), ...storeI64, ...i64(0), ...set(crc)],
    // The rest begins at a whole number of steps.
    ...[...get(end), ...get(at), I32_SUB, ...i32(reach), I32_SUB, ...i32(6), I32_SHR_U, ...i32(6), I32_SHL],
    ...[...get(at), I32_ADD, ...set(rest), ...i32(firstBlock), ...set(place)],
    ...[...block, ...loop],
    // To the end of the block or of the input.
    ...[...get(at), ...i32(BLOCK_BYTES), I32_ADD, ...set(stop)],
    ...[...block, ...get(stop), ...get(rest), I32_LT_U, ...leaveBlockIf, ...get(rest), ...set(stop), END],
    ...[...block, ...loop, ...get(at), ...get(stop), I32_GE_U, ...leaveIf],
    ...[...step, ...forward(at), ...forward(place), ...again, END, END],
    ...[...get(at), ...get(rest), I32_GE_U, ...leaveIf],
    ...[
      ...i32(window),
      ...get(place),
      ...i32(REACH_BYTES_MAX),
      I32_SUB,
      ...i32(REACH_BYTES_MAX),
      ...copyBytes,
    ],
    ...[...i32(firstBlock), ...set(place), ...again, END, END],
    ...[...i32(left), ...get(rest), ...get(end), ...get(rest), I32_SUB, ...copyBytes],
    // Zeros: nothing more to add.
    ...[...get(place), ...i32(0), ...i32(reach + 2 * STEP_BYTES), ...fillBytes],
    ...[...get(end), ...get(rest), I32_SUB, ...i32(left), I32_ADD, ...set(end)],
    ...[...i32(left), ...set(at), ...i32(left + reach), ...set(stop)],
    ...[...block, ...loop, ...get(at), ...get(stop), I32_GE_U, ...leaveIf],
    ...[...last, ...forward(at), ...forward(place), ...again, END, END],
    ...[...i32(left), ...set(at)],
  ];
}

/** Folds the rest, from `at` to `end`, into its own last bytes. Zeros precede it. */
function foldLeft(folds: readonly number[], base: number): number[] {
  const reach = folds.at(-1)!;
  const last = base + LAST_AT;
  const step = (target: number, source: number): number[] => {
    const out: number[] = [];
    for (let part = 0; part < STEP_BYTES; part += VECTOR_BYTES) {
      out.push(...get(target), ...get(target), ...loadV128(part));
      for (const far of folds)
        out.push(...get(source), ...i32(reach), I32_SUB, ...loadV128(reach - far + part), ...V128_XOR);
      out.push(...storeV128(part));
    }
    return out;
  };
  return [
    ...[...get(end), ...get(at), I32_SUB, ...i32(reach), I32_SUB, ...i32(6), I32_SHR_U, ...i32(6), I32_SHL],
    ...[...get(at), I32_ADD, ...set(rest)],
    ...[...block, ...loop, ...get(at), ...get(rest), I32_GE_U, ...leaveIf],
    ...[...step(at, at), ...forward(at), ...again, END, END],
    ...[...i32(last), ...get(rest), ...get(end), ...get(rest), I32_SUB, ...copyBytes],
    ...[...get(rest), ...i32(0), ...i32(reach + 2 * STEP_BYTES), ...fillBytes],
    ...[...get(end), ...get(rest), I32_SUB, ...i32(last), I32_ADD, ...set(end)],
    ...[...i32(last), ...set(place), ...i32(last + reach), ...set(stop)],
    ...[...block, ...loop, ...get(place), ...get(stop), I32_GE_U, ...leaveIf],
    ...[...step(place, at), ...forward(place), ...forward(at), ...again, END, END],
    ...[...i32(last), ...set(at)],
  ];
}

/** run(at, end): adds the bytes from `at` to `end` to the state. */
function crcBody({ folds, shortFolds }: CrcKind, base: number): number[] {
  const entry = (table: number): number[] => [
    I32_WRAP_I64,
    ...i32(3),
    I32_SHL,
    ...loadI64(base + TABLES_AT + table * 2_048),
  ];
  const lookUp = (word: number, byte: number, table: number): number[] => [
    ...get(word),
    ...i64(byte * 8),
    I64_SHR_U,
    ...i64(0xff),
    I64_AND,
    ...entry(table),
  ];
  const wide: number[] = [...lookUp(first, 0, SLICES - 1)];
  for (let i = 1; i < SLICES; i++)
    wide.push(...lookUp(i < 8 ? first : second, i % 8, SLICES - 1 - i), I64_XOR);

  return [
    ...[...i32(base), ...loadI64(0), ...set(crc)],
    ...[...block, ...get(end), ...get(at), I32_SUB, ...i32(FOLDED_BYTES_MIN), I32_LT_U, ...leaveBlockIf],
    ...foldBody(folds, base),
    ...[...(shortFolds === undefined ? [] : foldLeft(shortFolds, base)), END],
    ...[...block, ...loop],
    ...[...get(at), ...i32(SLICES), I32_ADD, ...get(end), I32_GT_U, ...leaveIf],
    ...[...get(at), ...loadI64(0), ...get(crc), I64_XOR, ...set(first)],
    ...[...get(at), ...loadI64(8), ...set(second)],
    ...[...wide, ...set(crc)],
    ...[...get(at), ...i32(SLICES), I32_ADD, ...set(at), ...again, END, END],
    ...[...block, ...loop],
    ...[...get(at), ...get(end), I32_GE_U, ...leaveIf],
    ...[...get(crc), ...i64(8), I64_SHR_U],
    ...[
      ...get(crc),
      ...get(at),
      ...loadByte,
      I64_XOR,
      ...i64(0xff),
      I64_AND,
      ...entry(0),
      I64_XOR,
      ...set(crc),
    ],
    ...[...get(at), ...i32(1), I32_ADD, ...set(at), ...again, END, END],
    ...[...i32(base), ...get(crc), ...storeI64, END],
  ];
}

/** Adds bytes to a state of two halves. */
export class CrcEngine {
  readonly #run: (at: number, end: number) => void;
  readonly #inputAt: number;
  readonly #input: Buffer;
  /** Low and high half of the state. */
  readonly state: Int32Array;

  constructor(kind: CrcKind) {
    const base = commonMemory.reserve(WORKSPACE_BYTES);
    assert(base !== undefined, "the shared memory has space for the checksum engines");
    const { memory, run } = startWasm({
      shared: commonMemory.shared,
      locals: LOCALS,
      code: crcBody(kind, base),
    });
    fillTables(new BigUint64Array(memory, base + TABLES_AT, SLICES * 256), kind.polynomial);
    this.#run = run;
    this.#inputAt = base + INPUT_AT;
    this.#input = Buffer.from(memory, this.#inputAt, INPUT_BYTES_MAX);
    this.state = new Int32Array(memory, base, 2);
  }

  add(bytes: Uint8Array): void {
    if (bytes.length >= FOLDED_BYTES_MIN && commonMemory.includes(bytes)) {
      this.#run(bytes.byteOffset, bytes.byteOffset + bytes.length);
    } else if (bytes.length <= INPUT_BYTES_MAX) this.#addCopy(bytes);
    else
      for (let from = 0; from < bytes.length; from += INPUT_BYTES_MAX)
        this.#addCopy(bytes.subarray(from, from + INPUT_BYTES_MAX));
  }

  #addCopy(bytes: Uint8Array): void {
    copyInto(this.#input, bytes, 0);
    this.#run(this.#inputAt, this.#inputAt + bytes.length);
  }
}

function fillTables(tables: BigUint64Array, polynomial: bigint): void {
  for (let byte = 0; byte < 256; byte++) {
    let value = BigInt(byte);
    for (let bit = 0; bit < 8; bit++) value = (value & 1n) === 0n ? value >> 1n : (value >> 1n) ^ polynomial;
    tables[byte] = value;
  }
  for (let i = 256; i < tables.length; i++) {
    const before = tables[i - 256]!;
    tables[i] = (before >> 8n) ^ tables[Number(before & 0xffn)]!;
  }
}
