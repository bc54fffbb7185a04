import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { monotonic } from "../../src/base/clock.ts";
import { bundleScript } from "../support/bundle.ts";
import { readCorpus } from "./corpus.ts";
import type { FuzzFinding, FuzzMessage, FuzzOrder } from "./fuzz-worker.ts";
import { INPUT_BYTES_MAX } from "./mutate.ts";

/**
 * Starts fuzzing threads and watches them: one that stays with an input for seconds is ended, and that is a
 * hang.
 */
export interface FuzzResult {
  readonly target: string;
  readonly executed: number;
  readonly blocks: number;
  readonly slowest: number;
  readonly grownBytes: number;
  readonly kept: readonly Uint8Array[];
  readonly findings: readonly FuzzFinding[];
}

export interface FuzzRequest {
  readonly target: string;
  readonly seed: number;
  readonly inputs?: number;
  readonly millisMax?: number;
  readonly findingsMax?: number;
  readonly isCorpusTrusted?: boolean;
  /** An input that takes longer has got stuck. */
  readonly stuckMillis?: number;
  readonly progress?: (text: string) => void;
}

const STUCK_MILLIS = 4_000;
const HEAP_MIB_MAX = 512;

export class Fuzzer {
  readonly #directory = mkdtempSync(join(tmpdir(), "holdfast-fuzz-"));
  #bundle: Promise<string> | undefined;

  /** Everything under test in one script: its blocks are what coverage counts. */
  #script(): Promise<string> {
    const make = async (): Promise<string> => {
      const file = join(this.#directory, "fuzz.mjs");
      await bundleScript(fileURLToPath(new URL("./fuzz-worker.ts", import.meta.url)), file);
      return file;
    };
    this.#bundle ??= make();
    return this.#bundle;
  }

  async run(request: FuzzRequest): Promise<FuzzResult> {
    const { target, seed, inputs = Number.POSITIVE_INFINITY, millisMax = 600_000, progress } = request;
    const { findingsMax = 20, isCorpusTrusted = false, stuckMillis = STUCK_MILLIS } = request;
    const current = new SharedArrayBuffer(8 + INPUT_BYTES_MAX);
    const corpus = readCorpus(target);
    const limits = { inputs, millisMax, findingsMax };
    const order: FuzzOrder = { target, seed, ...limits, isCorpusTrusted, corpus, current };
    const worker = new Worker(await this.#script(), {
      workerData: order,
      // Without our own flags: the script needs no loader, and each thread would start one.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB_MAX },
    });
    return new Promise((resolve) => {
      const findings: FuzzFinding[] = [];
      const state = { executed: 0, blocks: 0 };
      const counter = new Int32Array(current, 0, 2);
      let [lastCount, since] = [-1, monotonic()];
      const input = (): Uint8Array => new Uint8Array(current, 8, counter[1]!).slice();
      const end = (rest: Partial<FuzzResult>): void => {
        clearInterval(watch);
        const none = { slowest: 0, grownBytes: 0, kept: [] };
        resolve({ target, ...none, ...state, findings, ...rest });
      };
      const watch = setInterval(() => {
        const count = Atomics.load(counter, 0);
        if (count !== lastCount) [lastCount, since] = [count, monotonic()];
        if (count === 0 || monotonic() - since < stuckMillis) return;
        findings.push({ kind: "hang", input: input(), detail: `more than ${stuckMillis} ms` });
        void worker.terminate();
      }, 100);
      worker.on("message", (message: FuzzMessage) => {
        if (message.kind === "finding") findings.push(message.finding);
        else if (message.kind === "done") {
          end(message);
        } else {
          state.executed = message.executed;
          state.blocks = message.blocks;
          progress?.(`${target}: ${message.executed} inputs, ${message.blocks} blocks, ${message.kept} kept`);
        }
      });
      worker.on("error", (error) => {
        const isFull = (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY";
        findings.push({
          kind: isFull ? "heap" : "crash",
          input: input(),
          detail: error.stack ?? String(error),
        });
      });
      worker.on("exit", () => end({}));
    });
  }

  close(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** A finding as somebody reads it who wants to run it again. */
export function printFinding(target: string, { kind, input, detail }: FuzzFinding): string {
  const shown = JSON.stringify(Buffer.from(input).toString("latin1", 0, 2_000));
  return `${target}: ${kind}: ${detail}\n  input (${input.length} bytes, latin1): ${shown}`;
}
