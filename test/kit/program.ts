import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The program itself, as `npm start` runs it: the compiled files in a process of its own. */
export const MAIN = fileURLToPath(new URL("../../dist/cli/holdfast.js", import.meta.url));

export interface Program {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly ports: Readonly<Record<"blob" | "queue" | "table" | "file" | "smb" | "admin", number>>;
  readonly endpoints: Readonly<Record<"blob" | "queue" | "table" | "file", string>>;
  readonly connectionString: string;
  /** Of the ready message. */
  readonly warnings: readonly string[];
  /** What it has written to stderr so far. */
  stderr(): string;
  /** Sends SIGTERM and waits for the end; resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const FREE_PORTS = ["blob", "queue", "table", "file", "admin", "smb"].flatMap((name) => [
  `--${name}Port`,
  "0",
]);

function start(
  flags: readonly string[],
  env: Readonly<Record<string, string>>,
  wrapper: readonly string[] = [],
  more: SpawnOptions = {},
): ChildProcess {
  if (!existsSync(MAIN)) throw new Error("dist/cli/holdfast.js is missing: run `npm run build` first");
  const [command, ...args] = [...wrapper, process.execPath, MAIN, ...flags] as [string, ...string[]];
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
    ...more,
  });
  // Whoever starts it and is stopped half way leaves none behind.
  const end = (): void => {
    child.kill("SIGKILL");
  };
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
  return child;
}

/** Runs it to its end: for --help, and for configurations it must refuse. */
export function runProgram(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
  more: SpawnOptions = {},
): Promise<Ended> {
  const child = start(flags, env, [], { killSignal: "SIGKILL", ...more });
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
}

/** Starts it on free ports and waits until it is ready; with a wrapper, as the last words of that command. */
export async function startProgram(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
  wrapper: readonly string[] = [],
): Promise<Program> {
  const child = start([...FREE_PORTS, "--ready", "json", ...flags], env, wrapper);
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const line = await new Promise<string>((resolve, reject) => {
    let stdout = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
      if (stdout.includes("\n")) resolve(stdout);
    });
    child.on("exit", (code) => reject(new Error(`ended with ${code} before it was ready: ${stderr}`)));
  });
  const ready = JSON.parse(line) as Pick<Program, "ports" | "endpoints" | "connectionString" | "warnings">;
  return {
    child,
    pid: child.pid!,
    ports: ready.ports,
    endpoints: ready.endpoints,
    connectionString: ready.connectionString,
    warnings: ready.warnings,
    stderr: () => stderr,
    stop: (signal = "SIGTERM") =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode);
        child.on("exit", (code) => resolve(code));
        child.kill(signal);
      }),
  };
}
