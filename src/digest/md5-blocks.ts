import type { SharedMemory } from "../memory/shared-memory.ts";
import { constantOf, rotationOf, wordOf } from "./md5-steps.ts";
import {
  again,
  block,
  END,
  get,
  I32,
  I32_ADD,
  I32_AND,
  I32_GE_U,
  I32_OR,
  I32_ROTL,
  I32_XOR,
  i32,
  leaveIf,
  loadI32,
  loop,
  type Nested,
  set,
  storeI32,
  wasmBytes,
} from "./wasm.ts";

/**
 * MD5 of consecutive blocks, as WebAssembly over the shared memory (decision 0055). Each step needs the
 * result (b) of the one before, so only the instructions between two results count: five in the first and the
 * last round, four in the others. The processor does the rest while it waits:
 *
 *   F  ((c ^ d) & b) ^ d         G  (~d & c) + (d & b): no common bits, and only one part needs b
 *   H  (c ^ d) ^ b               I  (b | ~d) ^ c
 *
 * That is 288 cycles for a block. The OpenSSL of Node.js takes 307.
 *
 * The state is four words at `stateAt`.
 */
const [AT, ENDS_AT] = [0, 1];
const STATE = 2;
const BEFORE = STATE + 4;
const LETTERS = [0, 1, 2, 3] as const;
const BLOCK_BYTES = 64;
const NOT: Nested = [i32(-1), I32_XOR];

/** Adds the function of each round, of the locals b, c and d, to the sum on the stack. */
const MIX: readonly ((b: number, c: number, d: number) => Nested)[] = [
  (b, c, d) => [get(c), get(d), I32_XOR, get(b), I32_AND, get(d), I32_XOR, I32_ADD],
  (b, c, d) => [get(d), NOT, get(c), I32_AND, I32_ADD, get(d), get(b), I32_AND, I32_ADD],
  (b, c, d) => [get(c), get(d), I32_XOR, get(b), I32_XOR, I32_ADD],
  (b, c, d) => [get(d), NOT, get(b), I32_OR, get(c), I32_XOR, I32_ADD],
];

function step(index: number): Nested {
  const place = (letter: number): number => STATE + ((letter + 64 - index) & 3);
  const [a, b, c, d] = [place(0), place(1), place(2), place(3)] as const;
  return [
    [get(AT), loadI32(wordOf(index) * 4), i32(constantOf(index)), I32_ADD, get(a), I32_ADD],
    [MIX[index >> 4]!(b, c, d), i32(rotationOf(index)), I32_ROTL, get(b), I32_ADD, set(a)],
  ];
}

/** A module whose run(at, end) adds the blocks from `at` to `end` to the state. */
export function md5Blocks(shared: SharedMemory, stateAt: number): Uint8Array {
  const code: Nested = [
    LETTERS.map((letter) => [i32(stateAt), loadI32(letter * 4), set(STATE + letter)]),
    [block, loop, get(AT), get(ENDS_AT), I32_GE_U, leaveIf],
    LETTERS.map((letter) => [get(STATE + letter), set(BEFORE + letter)]),
    Array.from({ length: 64 }, (_, index) => step(index)),
    LETTERS.map((letter) => [get(STATE + letter), get(BEFORE + letter), I32_ADD, set(STATE + letter)]),
    [get(AT), i32(BLOCK_BYTES), I32_ADD, set(AT), again, END, END],
    [LETTERS.map((letter) => [i32(stateAt), get(STATE + letter), storeI32(letter * 4)]), END],
  ];
  return wasmBytes({ shared, locals: [{ count: 2 * LETTERS.length, type: I32 }], code });
}
