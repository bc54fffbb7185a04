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
  WASM_PAGE_BYTES,
} from "./wasm.ts";

/**
 * The inner loop of CRCs of up to 64 bits as WebAssembly: every upload and every read of payload passes through one.
 *
 * "Slicing": table k says what a byte does to the checksum k bytes later, so sixteen bytes take one step. That is
 * 1.9 GB/s (in plain TypeScript, on two halves of 32 bits, 0.8).
 *
 * "Folding", for long pieces: where the polynomial divides a sum of few powers of x^8, a byte may be taken away if it is
 * added to the places further on that stand for the other powers. No table is needed, and sixteen bytes go at once. It
 * is done the other way round, each place fetches what earlier ones have for it: one write instead of several. The last
 * few kilobytes, with what was added to them, are left for the tables. That is 6 GB/s and more.
 *
 * Memory: the state (8 bytes at 0), the tables (16 of 256 entries, from 1 KiB on), what is left of a long piece (from
 * 36 KiB on), zeros (from 48 KiB on), which stand for what came before the first byte, and the bytes to add (from
 * 64 KiB on).
 */
const SLICES = 16;
const TABLES_AT = 1_024;
const LEFT_AT = 36_864;
const INPUT_AT = 65_536;
/** One more than the input needs: folding clears a little behind its end. */
const PAGES = 5;
export const INPUT_BYTES_MAX = (PAGES - 1) * WASM_PAGE_BYTES - INPUT_AT;

/** Shorter pieces are not worth it. */
export const FOLDED_BYTES_MIN = 16_384;
const STEP_BYTES = 64;
const VECTOR_BYTES = 16;

export interface CrcKind {
  /** Bits reversed. */
  readonly polynomial: bigint;
  /**
   * How far behind a byte those are that take its place, nearest first: x^8 to the power of the last of them, plus the
   * same power less each of them, is a multiple of the polynomial. Found by a search.
   */
  readonly folds: readonly number[];
}

const [at, end, crc, first, second, rest, place] = [0, 1, 2, 3, 4, 5, 6] as const;
const LOCALS = [
  { count: 3, type: I64 },
  { count: 2, type: I32 },
];

/** Moves a long piece into its last bytes, and those to where the tables take them from. */
function foldBody(folds: readonly number[]): number[] {
  const reach = folds.at(-1)!;
  /** Adds to the vector on the stack what earlier places have for it; the address is that of the farthest. */
  const fetch = (address: readonly number[], part: number): number[] =>
    folds.flatMap((far) => [...address, ...loadV128(reach - far + part), ...V128_XOR]);
  const before = [...get(at), ...i32(reach), I32_SUB];
  const beforeRest = [...get(rest), ...get(place), I32_ADD, ...i32(reach), I32_SUB];
  const step: number[] = [];
  const last: number[] = [];
  for (let part = 0; part < STEP_BYTES; part += VECTOR_BYTES) {
    step.push(...get(at), ...get(at), ...loadV128(part), ...fetch(before, part), ...storeV128(part));
    last.push(...get(place), ...get(place), ...loadV128(LEFT_AT + part), ...fetch(beforeRest, part));
    last.push(...storeV128(LEFT_AT + part));
  }
  return [
    // The state is added to the first bytes: then it moves with them.
    ...[...get(at), ...get(at), ...loadI64(0), ...get(crc), I64_XOR, ...storeI64, ...i64(0), ...set(crc)],
    // What is left begins at a whole number of steps.
    ...[...get(end), ...get(at), I32_SUB, ...i32(reach), I32_SUB, ...i32(6), I32_SHR_U, ...i32(6), I32_SHL],
    ...[...get(at), I32_ADD, ...set(rest)],
    ...[...block, ...loop, ...get(at), ...get(rest), I32_GE_U, ...leaveIf],
    ...[...step, ...get(at), ...i32(STEP_BYTES), I32_ADD, ...set(at), ...again, END, END],
    ...[...i32(LEFT_AT), ...get(rest), ...get(end), ...get(rest), I32_SUB, ...copyBytes],
    // From here on there is nothing to be fetched.
    ...[...get(rest), ...i32(0), ...i32(reach + 2 * STEP_BYTES), ...fillBytes],
    ...[...i32(0), ...set(place), ...block, ...loop, ...get(place), ...i32(reach), I32_GE_U, ...leaveIf],
    ...[...last, ...get(place), ...i32(STEP_BYTES), I32_ADD, ...set(place), ...again, END, END],
    ...[
      ...get(end),
      ...get(rest),
      I32_SUB,
      ...i32(LEFT_AT),
      I32_ADD,
      ...set(end),
      ...i32(LEFT_AT),
      ...set(at),
    ],
  ];
}

/** run(at, end): adds the bytes from `at` to `end` to the state. They are changed on the way. */
function crcBody(folds: readonly number[]): number[] {
  const entry = (table: number): number[] => [
    I32_WRAP_I64,
    ...i32(3),
    I32_SHL,
    ...loadI64(TABLES_AT + table * 2_048),
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
    ...[...i32(0), ...loadI64(0), ...set(crc)],
    ...[...block, ...get(end), ...get(at), I32_SUB, ...i32(FOLDED_BYTES_MIN), I32_LT_U, ...leaveBlockIf],
    ...[...foldBody(folds), END],
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
    ...[...i32(0), ...get(crc), ...storeI64, END],
  ];
}

/** Adds bytes to a state, which is kept in two halves. */
export class CrcEngine {
  readonly #run: (at: number, end: number) => void;
  readonly #input: Uint8Array;
  /** Low and high half of the state. */
  readonly state: Int32Array;

  constructor({ polynomial, folds }: CrcKind) {
    const { memory, run } = startWasm({ pages: PAGES, locals: LOCALS, code: crcBody(folds) });
    fillTables(new BigUint64Array(memory, TABLES_AT, SLICES * 256), polynomial);
    this.#run = run;
    this.#input = new Uint8Array(memory, INPUT_AT);
    this.state = new Int32Array(memory, 0, 2);
  }

  add(bytes: Uint8Array): void {
    if (bytes.length <= INPUT_BYTES_MAX) this.#addPiece(bytes);
    else
      for (let from = 0; from < bytes.length; from += INPUT_BYTES_MAX)
        this.#addPiece(bytes.subarray(from, from + INPUT_BYTES_MAX));
  }

  #addPiece(bytes: Uint8Array): void {
    this.#input.set(bytes);
    this.#run(INPUT_AT, INPUT_AT + bytes.length);
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
