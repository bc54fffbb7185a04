import type { SharedMemory } from "../memory/shared-memory.ts";

/**
 * An assembler for the few inner loops that JavaScript has no fast integers for. It builds small WebAssembly
 * modules at run time, so that nothing has to be compiled or shipped beside the source.
 */

// @types/node leaves WebAssembly to the browser's types, which we do not load.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    readonly exports: Record<string, unknown>;
    constructor(module: Module, imports?: Record<string, Record<string, object>>);
  }
}

export type Code = readonly number[];
/** Nested code, flattened once at the end: spreading at each step would cost milliseconds. */
export type Nested = readonly (number | Nested)[];

// The few instructions used, by their names in the specification.
export const I32 = 0x7f;
export const I64 = 0x7e;
export const V128 = 0x7b;
const EMPTY = 0x40;
export const END = 0x0b;
export const I32_ADD = 0x6a;
export const I32_SUB = 0x6b;
export const I32_AND = 0x71;
export const I32_OR = 0x72;
export const I32_XOR = 0x73;
export const I32_SHL = 0x74;
export const I32_SHR_U = 0x76;
export const I32_ROTL = 0x77;
export const I32_ROTR = 0x78;
export const I32_LT_U = 0x49;
export const I32_GT_U = 0x4b;
export const I32_GE_U = 0x4f;
export const I32_WRAP_I64 = 0xa7;
export const I64_AND = 0x83;
export const I64_XOR = 0x85;
export const I64_SHR_U = 0x88;
/** Vector instructions: a prefix byte, then their number. */
export const simd = (opcode: number): number[] => [0xfd, ...unsigned(opcode)];
export const V128_OR: Code = simd(0x50);
export const V128_XOR: Code = simd(0x51);
export const V128_ZERO: Code = [...simd(0x0c), ...new Array<number>(16).fill(0)];
export const I32X4_SHL: Code = simd(0xab);
export const I32X4_SHR_U: Code = simd(0xad);
export const I32X4_ADD: Code = simd(0xae);
/** Picks sixteen bytes of two vectors; the bytes of the second have the numbers from 16 on. */
export const shuffle = (bytes: Code): number[] => [...simd(0x0d), ...bytes];
/** Unaligned addresses are allowed. */
export const loadV128 = (offset: number): number[] => [...simd(0x00), 0, ...unsigned(offset)];
export const storeV128 = (offset: number): number[] => [...simd(0x0b), 0, ...unsigned(offset)];
export const block: Code = [0x02, EMPTY];
export const loop: Code = [0x03, EMPTY];
export const again: Code = [0x0c, 0];
export const leaveIf: Code = [0x0d, 1];
export const leaveBlockIf: Code = [0x0d, 0];
/** Operands: target, source, count. */
export const copyBytes: Code = [0xfc, 0x0a, 0, 0];
/** Operands: target, value, count. */
export const fillBytes: Code = [0xfc, 0x0b, 0];
export const get = (local: number): number[] => [0x20, local];
export const set = (local: number): number[] => [0x21, local];
export const tee = (local: number): number[] => [0x22, local];
export const i32 = (value: number): number[] => [0x41, ...signed(value)];
export const i64 = (value: number): number[] => [0x42, ...signed(value)];
export const loadI32 = (offset: number): number[] => [0x28, 2, ...unsigned(offset)];
export const storeI32 = (offset: number): number[] => [0x36, 2, ...unsigned(offset)];
export const loadI64 = (offset: number): number[] => [0x29, 3, ...unsigned(offset)];
export const loadByte: Code = [0x31, 0, 0];
export const storeI64: Code = [0x37, 3, 0];

function unsigned(value: number): number[] {
  const out: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) out.push((rest & 0x7f) | 0x80);
  return [...out, rest];
}

/** LEB128 of a 32-bit number; the last bit written is the sign. */
function signed(value: number): number[] {
  const out: number[] = [];
  let rest = value | 0;
  for (; rest > 0x3f || rest < -0x40; rest >>= 7) out.push((rest & 0x7f) | 0x80);
  return [...out, rest & 0x7f];
}

const vector = (items: readonly Code[]): number[] => [unsigned(items.length), ...items].flat();
const sized = (content: Code): number[] => [unsigned(content.length), content].flat();
const section = (id: number, content: Code): Nested => [id, sized(content)];
const flat = (code: readonly unknown[]): number[] => code.flat(Number.POSITIVE_INFINITY) as number[];

export interface WasmFunction {
  readonly memory: ArrayBufferLike;
  readonly run: (first: number, second: number) => void;
}

interface WasmOptions {
  readonly locals: readonly { readonly count: number; readonly type: number }[];
  readonly code: Nested;
}

const name = (text: string): number[] => sized([...Buffer.from(text)]);

type WasmWhere = { readonly pages: number } | { readonly shared: SharedMemory };

/** A module with one function, `run(i32, i32)`, over its own memory or a shared one. */
export function wasmBytes({ locals, code, ...where }: WasmOptions & WasmWhere): Uint8Array {
  const body = flat([vector(locals.map(({ count, type }) => [...unsigned(count), type])), code]);
  const exported = [
    [...name("memory"), 2, 0],
    [...name("run"), 0, 0],
  ];
  const parts: Nested = [
    [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    section(1, vector([[0x60, ...vector([[I32], [I32]]), 0]])), // type: (i32, i32) -> nothing
    "shared" in where ? section(2, vector([sharedImport(where.shared.pages)])) : [],
    section(3, vector([[0]])), // one function of that type
    "pages" in where ? section(5, vector([[0, ...unsigned(where.pages)]])) : [], // one memory
    section(7, vector(exported)),
    section(10, vector([sized(body)])),
  ];
  return new Uint8Array(flat(parts));
}

/** Instantiates such a module. */
export function startWasm(options: WasmOptions & WasmWhere): WasmFunction {
  const imports = "shared" in options ? { shared: { memory: options.shared.memory } } : undefined;
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasmBytes(options)), imports);
  const { buffer } = exports.memory as { readonly buffer: ArrayBufferLike };
  return { memory: buffer, run: exports.run as WasmFunction["run"] };
}

/** Imports a memory (2) that is shared (3); its minimum and maximum are equal. */
function sharedImport(pages: number): number[] {
  return [...name("shared"), ...name("memory"), 2, 3, ...unsigned(pages), ...unsigned(pages)];
}
