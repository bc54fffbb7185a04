import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parentPort, workerData } from "node:worker_threads";
import { monotonic } from "../../src/base/clock.ts";
import { seededRandom } from "../../src/base/random.ts";
import { Coverage } from "./coverage.ts";
import { INPUT_BYTES_MAX, Mutator } from "./mutate.ts";
import type { FuzzRun, FuzzTarget } from "./target.ts";
import { TARGETS } from "./targets.ts";

/**
 * The fuzzing itself, in a thread that may be ended when it hangs. Inputs run in batches; when a batch
 * reaches code that nothing reached before, its inputs run again one by one, and those that do it are kept.
 */
export interface FuzzOrder {
  readonly target: string;
  readonly seed: number;
  readonly inputs: number;
  readonly millisMax: number;
  /** It ends after so many findings. */
  readonly findingsMax: number;
  /** Every input of the corpus is kept: to ask after each what it reached takes longer than to run it. */
  readonly isCorpusTrusted: boolean;
  readonly corpus: readonly Uint8Array[];
  /** The input under way: [count, length] and its bytes, so that the watcher can name it. */
  readonly current: SharedArrayBuffer;
}

export interface FuzzFinding {
  readonly kind: "crash" | "hang" | "heap";
  readonly input: Uint8Array;
  readonly detail: string;
}

export type FuzzMessage =
  | { readonly kind: "progress"; readonly executed: number; readonly blocks: number; readonly kept: number }
  | { readonly kind: "finding"; readonly finding: FuzzFinding }
  | {
      readonly kind: "done";
      readonly executed: number;
      readonly blocks: number;
      readonly slowest: number;
      readonly grownBytes: number;
      /** Inputs that reached something new, in the order they were found; the corpus's first. */
      readonly kept: readonly Uint8Array[];
    };

const BATCH = 48;
const KEPT_MAX = 4_000;
export const HANG_MILLIS = 100;
/** From here on an input is tried again. */
const SLOW_MILLIS = 20;
const HEAP_GROWTH_MAX = 96 * 1_024 * 1_024;
/** A server collects what its inputs stored: it starts afresh now and then. */
const INPUTS_PER_OPEN = 4_000;

const order = workerData as FuzzOrder;
const counter = new Int32Array(order.current, 0, 2);
const place = new Uint8Array(order.current, 8);
const tell = (message: FuzzMessage): void => parentPort!.postMessage(message);

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

class Fuzz {
  readonly #target: FuzzTarget;
  readonly #coverage = new Coverage(import.meta.url);
  readonly #mutator: Mutator;
  readonly #corpus: Buffer[] = [];
  #run!: FuzzRun;
  #executed = 0;
  #sinceOpen = 0;
  #slowest = 0;
  #heapBase = 0;
  #grown = 0;
  #findings = 0;

  constructor(target: FuzzTarget) {
    this.#target = target;
    this.#mutator = new Mutator(seededRandom(order.seed), target.words ?? []);
  }

  async fuzz(): Promise<void> {
    this.#run = await this.#target.open();
    const start = monotonic();
    this.#coverage.learn();
    for (const given of [...this.#target.seeds, ...order.corpus]) {
      const input = typeof given === "string" ? Buffer.from(given, "latin1") : Buffer.from(given);
      await this.#execute(input);
      if (order.isCorpusTrusted || this.#coverage.learn() || this.#corpus.length === 0)
        this.#corpus.push(input);
    }
    this.#coverage.learn();
    this.#heapBase = used();
    let toldAt = start;
    const { inputs, millisMax, findingsMax } = order;
    while (this.#executed < inputs && monotonic() - start < millisMax && this.#findings < findingsMax) {
      await this.#batch();
      if (this.#sinceOpen >= INPUTS_PER_OPEN) await this.#reopen();
      if (monotonic() - toldAt > 1_000) {
        toldAt = monotonic();
        const { size } = this.#coverage.seen;
        tell({ kind: "progress", executed: this.#executed, blocks: size, kept: this.#corpus.length });
      }
    }
    await this.#reopen();
    await this.#run.close?.();
    tell({
      kind: "done",
      executed: this.#executed,
      blocks: this.#coverage.seen.size,
      slowest: this.#slowest,
      grownBytes: this.#grown,
      kept: this.#corpus,
    });
    this.#coverage.close();
  }

  async #batch(): Promise<void> {
    const inputs: Buffer[] = [];
    for (let count = 0; count < BATCH; count++) {
      // The newest are tried more often: what they reached is least explored.
      const { length } = this.#corpus;
      const isNew = this.#mutator.below(3) === 0;
      const from = isNew ? Math.max(0, length - 24) : 0;
      const parent = this.#corpus[from + this.#mutator.below(length - from)]!;
      inputs.push(this.#mutator.mutate(parent, this.#corpus));
    }
    for (const input of inputs) await this.#execute(input);
    const fresh = this.#coverage.takeNew();
    if (fresh.length === 0) return;
    for (const input of inputs) {
      await this.#execute(input);
      if (this.#coverage.learn() && this.#corpus.length < KEPT_MAX) this.#corpus.push(input);
    }
    // What a second run did not reach again (a server remembers) must not cost another round.
    this.#coverage.know(fresh);
  }

  async #execute(input: Buffer): Promise<void> {
    this.#executed++;
    this.#sinceOpen++;
    place.set(input.subarray(0, place.length));
    Atomics.store(counter, 1, input.length);
    Atomics.add(counter, 0, 1);
    let fastest = Number.POSITIVE_INFINITY;
    // A slow turn may be the machine's: an input hangs when it is slow every time.
    for (let attempt = 0; attempt < 3 && fastest > SLOW_MILLIS; attempt++) {
      const start = monotonic();
      try {
        const running = this.#run.run(input);
        if (running !== undefined) await running;
      } catch (error) {
        this.#find("crash", input, error instanceof Error ? (error.stack ?? error.message) : String(error));
        await this.#reopen();
        return;
      }
      fastest = Math.min(fastest, monotonic() - start);
    }
    this.#slowest = Math.max(this.#slowest, fastest);
    if (fastest > HANG_MILLIS) this.#find("hang", input, `${Math.round(fastest)} ms`);
  }

  async #reopen(): Promise<void> {
    await this.#run.close?.();
    this.#sinceOpen = 0;
    const grown = used() - this.#heapBase;
    this.#grown = Math.max(this.#grown, grown);
    if (grown > HEAP_GROWTH_MAX && this.#heapBase > 0)
      this.#find("heap", Buffer.alloc(0), `${Math.round(grown / 2 ** 20)} MiB more than at the start`);
    this.#run = await this.#target.open();
  }

  #find(kind: FuzzFinding["kind"], input: Buffer, detail: string): void {
    this.#findings++;
    tell({ kind: "finding", finding: { kind, input, detail } });
  }
}

function used(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const target = TARGETS.find(({ name }) => name === order.target);
if (target === undefined) throw new Error(`there is no target ${order.target}`);
if (place.length < INPUT_BYTES_MAX) throw new Error("the place for inputs is too small");
await new Fuzz(target).fuzz();
