import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ProofLength, ProofOutcome } from "../../test/support/proof.ts";

/** One proof in a process of its own: those beside it do not wait for its computing, nor it for theirs. */
export interface ChildProof {
  readonly name: string;
  readonly length: ProofLength;
  readonly seed: number;
  readonly env?: Readonly<Record<string, string>>;
  /** What it says, without its name in front. */
  readonly print: (text: string) => void;
}

const LENGTH_FLAGS: Record<ProofLength, readonly string[]> = {
  quick: ["--quick"],
  usual: [],
  long: ["--long"],
};

/** Undefined when it ended without a verdict. */
export async function proveInChild(proof: ChildProof): Promise<ProofOutcome | undefined> {
  const { name, length, seed, env = {}, print } = proof;
  const directory = mkdtempSync(join(tmpdir(), "holdfast-apart-"));
  const json = join(directory, "outcome.json");
  const script = fileURLToPath(new URL("../prove.ts", import.meta.url));
  const flags = [...LENGTH_FLAGS[length], "--only", name, "--seed", String(seed), "--json", json];
  const child = spawn(process.execPath, ["--import", "tsx", script, ...flags], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const end = (): void => {
    child.kill("SIGTERM");
  };
  process.once("exit", end);
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    // The table at its end is for those who run it alone.
    for (const line of lines) {
      const text = /^\[1\/1\] [\w-]+: (.*)$/.exec(line)?.[1] ?? /^ {2,}.*$/.exec(line)?.[0];
      if (text !== undefined) print(text);
    }
  });
  await new Promise((resolve) => child.on("close", resolve));
  process.off("exit", end);
  const outcomes = existsSync(json)
    ? (JSON.parse(readFileSync(json, "utf8")) as { outcomes: ProofOutcome[] }).outcomes
    : [];
  rmSync(directory, { recursive: true, force: true });
  return outcomes[0];
}
