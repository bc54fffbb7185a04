import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../src/base/random.ts";
import { Product } from "../support/product.ts";
import { WireClient } from "../support/wire-client.ts";
import { Entry, type LedgerStats, newStats } from "./ledger/cell.ts";
import { cellsOf, PREPARE } from "./ledger/cells.ts";

/**
 * The whole program on a disk that fails at one call: strace answers it in place of the kernel. One client
 * writes and reads, so that which call it is means the same from run to run; the thread pool has one thread,
 * as strace counts the calls of each thread by themselves.
 */
export interface Fault {
  readonly call: string;
  readonly error: "EIO" | "ENOSPC";
  /** Which of the calls fails. */
  readonly when: number;
}

export interface FaultOutcome {
  readonly stats: LedgerStats;
  /** Whether it came to that call at all. */
  readonly isInjected: boolean;
  readonly reaction: "did not start" | "stopped" | "went on";
  /** 5xx answers. */
  readonly refused: number;
}

export const CALLS = [
  "pwrite64",
  "writev",
  "pwritev",
  "fdatasync",
  "fsync",
  "pread64",
  "preadv",
  "ftruncate",
];
const WRITES = 24;
const ENVIRONMENT = { UV_THREADPOOL_SIZE: "1" };

/** Undefined when strace can do it here; otherwise why not. */
export function whyNoStrace(): string | undefined {
  const done = spawnSync("strace", ["-f", "-qq", "--seccomp-bpf", "-e", "trace=fsync", "true"], {
    encoding: "utf8",
  });
  return done.status === 0 ? undefined : (done.error?.message ?? done.stderr.trim().split("\n", 1)[0]!);
}

/** Sockets are written with writev, too: only where the records are is the disk. */
function wrapper(directory: string, trace: string, calls: readonly string[], inject: string[]): string[] {
  const files = calls.includes("openat") ? ["journal-a", "journal-b"] : ["records.mdb"];
  const records = files.flatMap((name) => ["-P", join(directory, "records", name)]);
  return [
    "strace",
    "-f",
    "-qq",
    "-o",
    trace,
    "--seccomp-bpf",
    "-e",
    `trace=${calls.join(",")}`,
    ...(calls.includes("writev") || calls.includes("openat") ? records : []),
    ...inject,
  ];
}

/** What a healthy run does: how often it makes each call, and how much it acknowledged. */
export async function countCalls(directory: string, seed: number) {
  const counts = new Map<string, number>();
  let acknowledged = 0;
  for (const calls of [CALLS.filter((call) => call !== "writev"), ["writev"], ["openat", "pwrite64"]]) {
    const data = join(directory, `count-${calls[0]}`);
    const trace = join(directory, `trace-${calls[0]}`);
    const product = new Product({
      directory: data,
      workers: 1,
      env: ENVIRONMENT,
      wrapper: wrapper(data, trace, calls, []),
    });
    await product.start();
    const work = new Work(product, seed);
    await work.run();
    work.close();
    acknowledged = work.stats.acknowledged;
    await product.stop();
    const text = readFileSync(trace, "utf8");
    for (const [call, count] of countPerThread(text)) {
      if (calls[0] !== "openat") counts.set(call, count);
      // The last run looks at the journal alone, where a write is a sync if the file was opened so.
      else if (call === "pwrite64" && /O_DSYNC/.test(text)) counts.set("syncs of records", count);
    }
  }
  return { counts, acknowledged };
}

function countPerThread(trace: string): Map<string, number> {
  const byThread = new Map<string, number>();
  for (const [, thread, call] of trace.matchAll(/^(\d+) +(\w+)\(/gm)) {
    byThread.set(`${thread} ${call}`, (byThread.get(`${thread} ${call}`) ?? 0) + 1);
  }
  const most = new Map<string, number>();
  for (const [key, count] of byThread) {
    const call = key.split(" ")[1]!;
    most.set(call, Math.max(most.get(call) ?? 0, count));
  }
  return most;
}

export async function runWithFault(directory: string, fault: Fault, seed: number): Promise<FaultOutcome> {
  const { call, error, when } = fault;
  const data = join(directory, `${call}-${error}-${when}`);
  const trace = `${data}.trace`;
  const inject = ["-e", `inject=${call}:error=${error}:when=${when}`];
  const failing = new Product({
    directory: data,
    workers: 1,
    env: ENVIRONMENT,
    wrapper: wrapper(data, trace, [call], inject),
  });
  let work: Work | undefined;
  let reaction: FaultOutcome["reaction"] = "did not start";
  try {
    await failing.start();
    reaction = "went on";
    work = new Work(failing, seed);
    await work.run();
    if (!failing.isUp) reaction = "stopped";
  } catch (trouble) {
    if (reaction !== "did not start") throw trouble;
  }
  // The call may also be one of those that close the files.
  const code = await failing.stop();
  if (reaction === "went on" && code !== 0) reaction = "stopped";
  const isInjected = readFileSync(trace, "utf8").includes("(INJECTED)");

  // The disk is well again: whatever it was, it opens, everything acknowledged is there, and work goes on.
  const healthy = new Product({ directory: data, workers: 1 });
  await healthy.start();
  try {
    if (work === undefined) work = new Work(healthy, seed);
    else await work.moveTo(healthy);
    await work.run();
    await work.checkAll();
  } finally {
    work?.close();
    await healthy.stop();
  }
  rmSync(data, { recursive: true, force: true });
  rmSync(trace, { force: true });
  return { stats: work.stats, isInjected, reaction, refused: work.stats.refused };
}

/** One client that writes each of its cells in turn, and reads what it wrote. */
class Work {
  readonly stats = newStats();
  readonly #entries: readonly Entry[];
  readonly #seed: number;
  #product: Product;
  #client: WireClient;

  constructor(product: Product, seed: number) {
    this.#product = product;
    this.#seed = seed;
    this.#client = new WireClient(() => product.ports);
    this.#entries = cellsOf(0, seededRandom(seed)).map((cell) => new Entry(cell, this.stats));
  }

  async moveTo(product: Product): Promise<void> {
    this.#product = product;
    this.#client.close();
    this.#client = new WireClient(() => product.ports);
    await this.checkAll();
  }

  async run(): Promise<void> {
    const random = seededRandom(this.#seed);
    for (const [service, request] of PREPARE) await this.#client.send(service, request);
    for (let step = 0; step < WRITES && this.#product.isUp; step++) {
      const entry = this.#entries[step % this.#entries.length]!;
      if (entry.isCertain) await entry.write(this.#client, random, { isTolerant: true });
      await entry.glance(this.#client);
    }
  }

  async checkAll(): Promise<void> {
    for (const entry of this.#entries) await entry.check(this.#client);
  }

  close(): void {
    this.#client.close();
  }
}
