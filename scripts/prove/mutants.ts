import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monotonic } from "../../src/base/clock.ts";
import { type Mutant, mutantEnvironment, readMutants, uselessEdits } from "../../test/support/mutants.ts";
import type { ProofOutcome } from "../../test/support/proof.ts";
import { proveInChild } from "./child-process.ts";
import { printRows, printTime } from "./run-proofs.ts";

/**
 * Whether the proofs would notice: each mutant runs in a process of its own against the proofs that should
 * catch it, until one does.
 */
export interface MutantOutcome {
  readonly name: string;
  readonly what: string;
  /** The proof that caught it; undefined when none did. */
  readonly caughtBy: string | undefined;
  readonly summary: string;
  readonly millis: number;
}

export interface RunMutants {
  readonly seed: number;
  /** Only these; all when there is none. */
  readonly only?: readonly string[] | undefined;
  readonly print: (line: string) => void;
}

export async function runMutants({ seed, only, print }: RunMutants): Promise<MutantOutcome[]> {
  const useless = [...uselessEdits("src"), ...uselessEdits("dist")];
  if (useless.length > 0) throw new Error(`mutants that change nothing:\n${useless.join("\n")}`);
  const outcomes: MutantOutcome[] = [];
  const mutants = readMutants().filter(({ name }) => only === undefined || only.includes(name));
  for (const [index, mutant] of mutants.entries()) {
    const label = `[${index + 1}/${mutants.length}] ${mutant.name}`;
    print(`${label}: ${mutant.what}`);
    const start = monotonic();
    const found = await catchMutant(mutant, seed, (text) => print(`${label}: ${text}`));
    const millis = monotonic() - start;
    outcomes.push({ name: mutant.name, what: mutant.what, ...found, millis });
    const verdict = found.caughtBy === undefined ? "NOT CAUGHT" : `caught by ${found.caughtBy}`;
    print(`${label}: ${verdict}, ${printTime(millis)}, ${found.summary.split("\n", 1)[0]}`);
  }
  return outcomes;
}

async function catchMutant(
  mutant: Mutant,
  seed: number,
  print: (text: string) => void,
): Promise<Pick<MutantOutcome, "caughtBy" | "summary">> {
  const missed: string[] = [];
  for (const proof of mutant.proofs) {
    const outcome = await proveWith(mutant.name, proof, seed, print);
    if (isCatch(outcome)) return { caughtBy: proof, summary: outcome!.summary };
    missed.push(`${proof}: ${outcome?.summary ?? "ended without a verdict"}`);
  }
  return { caughtBy: undefined, summary: missed.join("; ") };
}

/** A proof that could not run, or fell over, has seen nothing. */
function isCatch(outcome: ProofOutcome | undefined): boolean {
  if (outcome === undefined || outcome.ok || outcome.isNotRun === true) return false;
  return !outcome.summary.startsWith("stopped by");
}

async function proveWith(
  mutant: string,
  proof: string,
  seed: number,
  print: (text: string) => void,
): Promise<ProofOutcome | undefined> {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-mutant-"));
  // What a broken proof keeps for the investigation is kept in here, and goes with it.
  const env = { ...mutantEnvironment(mutant), TMPDIR: directory };
  const tell = (text: string): void => {
    if (/^\d/.test(text)) print(`${proof}: ${text}`);
  };
  try {
    return await proveInChild({ name: proof, length: "quick", seed, env, print: tell });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export function printMutants(outcomes: readonly MutantOutcome[]): string {
  return printRows([
    ["mutant", "caught by", "time", "what was seen"],
    ...outcomes.map(({ name, caughtBy, millis, summary }) => [
      name,
      caughtBy ?? "NONE",
      printTime(millis),
      summary.split("\n", 1)[0]!,
    ]),
  ]);
}
