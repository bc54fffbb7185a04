import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { monotonic, pause } from "../../src/base/clock.ts";
import type { Random } from "../../src/base/random.ts";
import { type Ended, MAIN, runProgram } from "../kit/program.ts";
import { Product } from "./product.ts";
import { WireClient } from "./wire-client.ts";

/**
 * Clients write while a backup runs, and the restored store is compared with the history of their writes.
 *
 * Each client overwrites its own blob with numbers 1, 2, 3, ...; a number and a client give all bytes. The
 * restored blob therefore tells how many writes of each client the snapshot contains. A snapshot is a state
 * that a linearizable history allows when
 *
 *   it contains every write that was acknowledged before the backup began, and none that began after its end
 *   it contains no write without the writes of other clients that were acknowledged before that one began
 */
export interface BackupRounds {
  readonly directory: string;
  readonly random: Random;
  readonly rounds: number;
  readonly millis: number;
  readonly progress?: (text: string) => void;
}

export interface BackupStats {
  backups: number;
  killed: number;
  writes: number;
  problems: string[];
}

interface Write {
  readonly start: number;
  /** Infinity while it is not acknowledged. */
  end: number;
}

const CLIENTS = 6;
const CONTAINER = "proof";
/** Blobs that stay keep extents of earlier rounds in use. */
const KEPT_EVERY = 2;
/** Of a restore after its first extent. */
const KILL_MILLIS_MAX = 60;
const HEADERS = { "x-ms-blob-type": "BlockBlob" };

/** Some are inline, some in extents, some in several frames. */
const LENGTHS = [40, 3_000, 20_000, 200_000];

function bytesOf(client: number, number: number): Buffer {
  const head = Buffer.from(`${client} ${number} `.padEnd(32));
  const seed = createHash("sha256").update(head).digest();
  const length = LENGTHS[(client + number) % LENGTHS.length]!;
  return Buffer.concat([head, Buffer.alloc(length, seed)]);
}

class Writers {
  readonly #product: Product;
  readonly #writes: Write[][] = Array.from({ length: CLIENTS }, () => []);
  #isStopping = false;
  #running: Promise<unknown> | undefined;

  constructor(product: Product) {
    this.#product = product;
  }

  get count(): number {
    return this.#writes.reduce((sum, writes) => sum + writes.length, 0);
  }

  start(): void {
    this.#isStopping = false;
    this.#running = Promise.all(this.#writes.map((writes, client) => this.#write(client, writes)));
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  async #write(client: number, writes: Write[]): Promise<void> {
    const wire = new WireClient(() => this.#product.ports);
    while (!this.#isStopping) {
      const write: Write = { start: monotonic(), end: Number.POSITIVE_INFINITY };
      writes.push(write);
      const path = `/${CONTAINER}/client-${client}`;
      const body = bytesOf(client, writes.length);
      const reply = await wire.send("blob", { method: "PUT", path, headers: HEADERS, body });
      if (typeof reply === "string" || reply.status !== 201)
        throw new Error(`a write failed: ${String(reply)}`);
      write.end = monotonic();
      if (writes.length % KEPT_EVERY !== 0) continue;
      await wire.send("blob", { method: "PUT", path: `${path}/${writes.length}`, headers: HEADERS, body });
    }
    wire.close();
  }

  /** What is wrong with a snapshot that was taken between two times and has these numbers. */
  problemsOf(numbers: readonly number[], from: number, to: number): string[] {
    const problems: string[] = [];
    for (const [client, number] of numbers.entries()) {
      const missing = this.#writes[client]![number];
      if (missing !== undefined && missing.end < from)
        problems.push(
          `client ${client}: write ${number + 1} was acknowledged before the backup and is missing`,
        );
      const last = this.#writes[client]![number - 1];
      if (number > this.#writes[client]!.length || (last !== undefined && last.start > to))
        problems.push(`client ${client}: write ${number} began after the backup and is in it`);
      for (const [other, count] of numbers.entries()) {
        const included = this.#writes[other]![count - 1];
        if (missing !== undefined && included !== undefined && missing.end < included.start)
          problems.push(
            `client ${client}: write ${number + 1} is missing, and a later one of ${other} is there`,
          );
      }
    }
    return problems;
  }
}

/** Runs a command of the program and kills it. */
async function killed(args: readonly string[], moment: () => Promise<void>): Promise<boolean> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: "ignore" });
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  await Promise.race([ended, moment()]);
  child.kill("SIGKILL");
  return (await ended) === null;
}

async function send(
  product: Product,
  method: string,
  path: string,
): Promise<{ status: number; body: Buffer }> {
  const wire = new WireClient(() => product.ports);
  try {
    const [plain, query] = path.split("?");
    const request = {
      method,
      path: plain!,
      ...(query === undefined ? {} : { query: { restype: "container" } }),
    };
    const reply = await wire.send("blob", request);
    if (typeof reply === "string") throw new Error(`${method} ${path}: ${reply}`);
    return reply;
  } finally {
    wire.close();
  }
}

/** The number that each client's blob has in the store of this directory, or a problem. */
async function numbersIn(directory: string): Promise<number[] | string> {
  const product = new Product({ directory, workers: 1 });
  await product.start();
  try {
    const numbers: number[] = [];
    for (let client = 0; client < CLIENTS; client++) {
      const { status, body } = await send(product, "GET", `/${CONTAINER}/client-${client}`);
      const number = status === 200 ? Number(body.toString("latin1", 0, 32).split(" ")[1]) : 0;
      if (status !== 404 && !body.equals(bytesOf(client, number)))
        return `client ${client}: the restored blob has other bytes than write ${number} (status ${status})`;
      numbers.push(number);
    }
    return numbers;
  } finally {
    await product.stop();
  }
}

const failed = (what: string, { code, stderr }: Ended): string =>
  `${what} ended with ${code}: ${stderr.slice(-300)}`;

export async function runBackupRounds(options: BackupRounds): Promise<BackupStats> {
  const { directory, random, rounds, millis, progress } = options;
  const stats: BackupStats = { backups: 0, killed: 0, writes: 0, problems: [] };
  const data = join(directory, "data");
  const product = new Product({ directory: data, workers: 1 });
  await product.start();
  const writers = new Writers(product);
  let earlier: string | undefined;
  try {
    const created = await send(product, "PUT", `/${CONTAINER}?restype=container`);
    if (created.status !== 201) throw new Error(`the container was not created: ${created.status}`);
    for (let round = 0; round < rounds && stats.problems.length === 0; round++) {
      const to = join(directory, `backup-${round}`);
      const restored = join(directory, `restored-${round}`);
      const args = ["backup", data, "--to", to, ...(earlier === undefined ? [] : ["--since", earlier])];
      writers.start();
      await pause(millis * random.fraction());
      if (await killed(args, () => pause(100 + 300 * random.fraction()))) stats.killed++;
      const from = monotonic();
      let made = await runProgram(args);
      // The killed one may have been complete.
      if (made.code !== 0 && made.stderr.includes("manifest.json")) {
        rmSync(to, { recursive: true });
        made = await runProgram(args);
      }
      const until = monotonic();
      await writers.stop();
      if (made.code !== 0) stats.problems.push(failed("backup", made));
      else {
        stats.backups++;
        const inside = async (): Promise<void> => {
          while (!hasFiles(join(restored, "extents"))) await pause(1);
          await pause(KILL_MILLIS_MAX * random.fraction());
        };
        if (await killed(["restore", "--from", to, "--to", restored], inside)) {
          stats.killed++;
          stats.problems.push(...(await problemsOfHalf(restored)));
        } else rmSync(restored, { recursive: true, force: true });
        const done = await runProgram(["restore", "--from", to, "--to", restored]);
        // The killed one may have been complete.
        const isWhole = done.stderr.includes("the target is not empty");
        if (done.code !== 0 && !isWhole) stats.problems.push(failed("restore", done));
        else {
          const numbers = await numbersIn(restored).catch((error: Error) => error.message);
          stats.problems.push(
            ...(typeof numbers === "string" ? [numbers] : writers.problemsOf(numbers, from, until)),
          );
        }
      }
      if (earlier !== undefined) rmSync(earlier, { recursive: true, force: true });
      rmSync(restored, { recursive: true, force: true });
      earlier = to;
      // The next backup finds sealed extents, which it need not copy.
      await product.stop();
      await product.start();
      stats.writes = writers.count;
      progress?.(printBackupStats(stats));
    }
  } finally {
    await writers.stop().catch(() => {});
    await product.stop("SIGKILL");
  }
  return stats;
}

const hasFiles = (directory: string): boolean => existsSync(directory) && readdirSync(directory).length > 0;

/** A server never serves half a restore: it refuses, or the restore had ended before it was killed. */
async function problemsOfHalf(directory: string): Promise<string[]> {
  if (!hasFiles(join(directory, "extents"))) return [];
  const numbers = await numbersIn(directory).catch((error: Error) => error.message);
  if (typeof numbers === "string") return numbers.includes("unfinished") ? [] : [numbers];
  return numbers.every((number) => number > 0) ? [] : ["a server serves half a restore"];
}

export function printBackupStats({ backups, killed, writes, problems }: BackupStats): string {
  const found = problems.length === 0 ? "every snapshot allowed" : problems.slice(0, 3).join("; ");
  return `${backups} backups restored during ${writes} writes, ${killed} commands killed: ${found}`;
}
