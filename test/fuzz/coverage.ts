import { readFileSync } from "node:fs";
import { Session } from "node:inspector";
import { fileURLToPath } from "node:url";

/**
 * Which blocks of the code have run, asked of V8 itself from inside the process. Only one script counts, the
 * bundle that holds everything under test, and of it only what the product is made of: how the fuzzer itself
 * runs is no news.
 */
const UNDER_TEST = /^(?:.*\/)?(?:src|test\/fuzz\/targets\/planted)\b/;

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface Taken {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly Range[] }[];
  }[];
}

export class Coverage {
  readonly #session = new Session();
  readonly #url: string;
  /** Starts of the parts of the bundle, in order, and whether each counts. */
  readonly #parts: readonly { readonly from: number; readonly counts: boolean }[];
  /** By the start of a function: every place where a block of it has been seen to begin or end. */
  readonly #bounds = new Map<number, Set<number>>();
  readonly seen = new Set<number>();

  constructor(url: string) {
    this.#url = url;
    // The bundler writes each module's path above it.
    const marks = readFileSync(fileURLToPath(url), "utf8").matchAll(/^\/\/ (\S+\.ts)$/gm);
    this.#parts = [...marks].map(({ 1: path, index }) => ({ from: index, counts: UNDER_TEST.test(path!) }));
    if (!this.#parts.some(({ counts }) => counts)) throw new Error("nothing in the bundle is under test");
    this.#session.connect();
    this.#post("Profiler.enable", {});
    this.#post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /** Blocks that have run since the last time and are not among those seen. */
  takeNew(): number[] {
    const { result } = this.#post("Profiler.takePreciseCoverage", {}) as Taken;
    const fresh: number[] = [];
    for (const { url, functions } of result) {
      if (url !== this.#url) continue;
      for (const { ranges } of functions)
        if (ranges[0]!.count > 0 && this.#isUnderTest(ranges[0]!.startOffset)) this.#addNew(ranges, fresh);
    }
    return fresh;
  }

  /**
   * V8 leaves out a block that ran as often as the one around it, so that the same code looks different in
   * one run and in many. What counts is each known bound: whether the innermost range around it has run.
   */
  #addNew(ranges: readonly Range[], fresh: number[]): void {
    const start = ranges[0]!.startOffset;
    const bounds = this.#bounds.get(start) ?? new Set();
    this.#bounds.set(start, bounds);
    for (const { startOffset, endOffset } of ranges) bounds.add(startOffset).add(endOffset);
    for (const bound of bounds) {
      if (this.seen.has(bound)) continue;
      const around = ranges.findLast((range) => range.startOffset <= bound && bound < range.endOffset);
      if (around !== undefined && around.count > 0) fresh.push(bound);
    }
  }

  #isUnderTest(offset: number): boolean {
    let [low, high] = [0, this.#parts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#parts[middle]!.from <= offset) low = middle + 1;
      else high = middle;
    }
    return low > 0 && this.#parts[low - 1]!.counts;
  }

  /** Whether anything new has run; it is known from here on. */
  learn(): boolean {
    const fresh = this.takeNew();
    this.know(fresh);
    return fresh.length > 0;
  }

  know(blocks: readonly number[]): void {
    for (const block of blocks) this.seen.add(block);
  }

  #post(method: string, params: object): unknown {
    let answer: unknown;
    // In one thread the answer is there when the call returns.
    this.#session.post(method, params, (error, result) => {
      if (error !== null) throw new Error(`${method}: ${error.message}`);
      answer = result;
    });
    return answer;
  }

  close(): void {
    this.#session.disconnect();
  }
}
