import { existsSync, readFileSync } from "node:fs";
import { monotonic } from "../../src/base/clock.ts";
import { type Program, startProgram } from "../kit/program.ts";

/**
 * The whole program on a data directory, to be killed and started again under its clients. It keeps its
 * ports, so that a client only has to connect again.
 */
export interface ProductOptions {
  /** Undefined: the flags say where the data is. */
  readonly directory?: string;
  readonly workers: number;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A command that runs the program as its only child: strace. */
  readonly wrapper?: readonly string[];
}

const SERVICES = ["blob", "queue", "table", "file", "smb", "admin"] as const;

export class Product {
  readonly #options: ProductOptions;
  #program: Program | undefined;
  #ports: Program["ports"] | undefined;
  /** How long each start took until it was ready. */
  readonly startMillis: number[] = [];

  constructor(options: ProductOptions) {
    this.#options = options;
  }

  get ports(): Program["ports"] {
    return this.#ports!;
  }

  portsOf(): Program["ports"] {
    return this.ports;
  }

  /** One of its processes, which its supervisor starts again, or all, which are started here. */
  async kill(which: "one" | "all", choice: number): Promise<void> {
    if (which === "one") return this.killOne(choice);
    await this.killAll();
    await this.start();
  }

  get pid(): number {
    return this.#program!.pid;
  }

  get isUp(): boolean {
    const child = this.#program?.child;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  stderr(): string {
    return this.#program?.stderr() ?? "";
  }

  async start(): Promise<void> {
    const { directory, workers, flags = [], env = {}, wrapper } = this.#options;
    const ports = this.#ports;
    const kept =
      ports === undefined ? [] : SERVICES.flatMap((name) => [`--${name}Port`, String(ports[name])]);
    const from = monotonic();
    this.#program = await startProgram(
      [
        ...(directory === undefined ? [] : ["--location", directory]),
        "--workers",
        String(workers),
        "--silent",
        ...kept,
        ...flags,
      ],
      env,
      wrapper,
    );
    this.startMillis.push(monotonic() - from);
    this.#ports = this.#program.ports;
  }

  /** The processes that serve: the workers, or the only one. */
  servingPids(): number[] {
    const children = childrenOf(this.pid);
    return this.#options.workers > 1 ? children : [this.pid];
  }

  /** Every process of it at once, without a word. */
  async killAll(): Promise<void> {
    const workers = this.#options.workers > 1 ? childrenOf(this.pid) : [];
    await this.stop("SIGKILL");
    // Its workers leave by themselves when it is gone; they may not have a moment longer than it had.
    for (const pid of workers) killQuietly(pid);
  }

  killOne(choice: number): void {
    const pids = this.servingPids();
    const pid = pids[Math.floor(choice * pids.length)];
    if (pid !== undefined) killQuietly(pid);
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    const program = this.#program;
    this.#program = undefined;
    if (program === undefined) return null;
    if (this.#options.wrapper === undefined) return program.stop(signal);
    // The wrapper ends with what it runs; ended itself, it would let that go on.
    for (const pid of childrenOf(program.pid)) process.kill(pid, signal);
    return program.stop("SIGCONT");
  }
}

/** Several members that serve the same data; clients are spread over them. */
export class Members {
  readonly #members: readonly Product[];

  constructor(count: number, flags: readonly string[]) {
    this.#members = Array.from({ length: count }, () => new Product({ workers: 1, flags }));
  }

  async start(): Promise<void> {
    for (const member of this.#members) await member.start();
  }

  portsOf(client: number): Program["ports"] {
    return this.#members[client % this.#members.length]!.ports;
  }

  async kill(which: "one" | "all", choice: number): Promise<void> {
    const one = this.#members[Math.floor(choice * this.#members.length)]!;
    const dying = which === "one" ? [one] : this.#members;
    await Promise.all(dying.map((member) => member.killAll()));
    await Promise.all(dying.map((member) => member.start()));
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    await Promise.all(this.#members.map((member) => member.stop(signal)));
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** The direct children of a process. */
export function childrenOf(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(path)) return [];
  const children = readFileSync(path, "utf8").trim();
  return children === "" ? [] : children.split(" ").map(Number);
}
