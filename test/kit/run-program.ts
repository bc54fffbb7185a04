import { spawn } from "node:child_process";

export interface ProgramRun {
  readonly code: number;
  /** What it printed, in the order it came. */
  readonly output: string;
}

/** Runs a program to its end. It is stopped when it takes longer than the time given. */
export function runProgram(
  program: string,
  args: readonly string[],
  { timeoutMillis = 120_000, directory = "/tmp" } = {},
): Promise<ProgramRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], {
      cwd: directory,
      timeout: timeoutMillis,
      killSignal: "SIGKILL",
      stdio: ["ignore", "pipe", "pipe"],
    });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? -1, output: Buffer.concat(chunks).toString() }));
  });
}
