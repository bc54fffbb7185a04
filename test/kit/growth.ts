import { readFileSync } from "node:fs";
import { pause } from "../../src/base/clock.ts";
import type { Program } from "./program.ts";

export function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1_024;
}

/** The bytes of replies that the program has not sent, as its metrics report them. */
export async function unsentReplyBytes(program: Program, frontEnd: "http" | "smb"): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${program.ports.admin}/metrics`)).text();
  const line = new RegExp(`^holdfast_unsent_reply_bytes\\{frontEnd="${frontEnd}"\\} (\\d+)$`, "m");
  return Number(line.exec(metrics)![1]);
}

/** By how much the program has grown since the start at most, and its most unsent reply bytes. */
export class Growth {
  readonly #program: Program;
  readonly #frontEnd: "http" | "smb";
  readonly #baseBytes: number;
  readonly #watching: Promise<void>;
  #isOver = false;
  residentBytes = 0;
  unsentBytes = 0;

  constructor(program: Program, frontEnd: "http" | "smb") {
    this.#program = program;
    this.#frontEnd = frontEnd;
    this.#baseBytes = memoryOf(program.pid);
    this.#watching = this.#watch();
  }

  async #watch(): Promise<void> {
    while (!this.#isOver) {
      this.residentBytes = Math.max(this.residentBytes, memoryOf(this.#program.pid) - this.#baseBytes);
      this.unsentBytes = Math.max(this.unsentBytes, await unsentReplyBytes(this.#program, this.#frontEnd));
      await pause(20);
    }
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#watching;
  }
}
