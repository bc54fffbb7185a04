import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monotonic, systemTimers } from "../../src/base/clock.ts";
import type {
  Proof,
  ProofContext,
  ProofLength,
  ProofOutcome,
  ProofVerdict,
} from "../../test/support/proof.ts";
import type { ChildProof } from "./child-process.ts";

export interface RunProofs {
  readonly proofs: readonly Proof[];
  readonly length: ProofLength;
  readonly seed: number;
  readonly print: (line: string) => void;
  /** Runs one in a process of its own; without it, all run in this one. */
  readonly runInChild?: (proof: ChildProof) => Promise<ProofOutcome | undefined>;
}

/** Most of them wait for processes, disks and clocks half of their time: so many for 2 cores. */
const LANES = 3;

/**
 * Some side by side, the longest first, and then those that want the whole machine, one after the other. The
 * outcomes are in the order of the proofs.
 */
export async function runProofs(run: RunProofs): Promise<ProofOutcome[]> {
  const { proofs, length, seed, print, runInChild } = run;
  const outcomes = new Map<Proof, ProofOutcome>();
  const runOne = async (proof: Proof): Promise<void> => {
    const label = `[${proofs.indexOf(proof) + 1}/${proofs.length}] ${proof.name}`;
    const { name, what } = proof;
    const tell = (text: string): void => print(`${label}: ${text}`);
    const start = monotonic();
    const outcome =
      runInChild === undefined
        ? await runProof(proof, { length, seed }, tell)
        : await runInChild({ name, length, seed, print: tell });
    const fallen = { ok: false, summary: "ended without a verdict", millis: monotonic() - start };
    if (outcome === undefined) tell(`BROKEN, ${fallen.summary}`);
    outcomes.set(proof, outcome ?? { name, what, seed, ...fallen });
  };
  const together = proofs.filter(({ isAlone }) => isAlone !== true);
  const waiting = together.sort((one, other) => other.minutes - one.minutes).values();
  const lane = async (): Promise<void> => {
    for (const proof of waiting) await runOne(proof);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  for (const proof of proofs) if (proof.isAlone === true) await runOne(proof);
  return proofs.map((proof) => outcomes.get(proof)!);
}

/** A proof that throws does not hold. */
async function runProof(
  proof: Proof,
  { length, seed }: Pick<ProofContext, "length" | "seed">,
  print: (text: string) => void,
): Promise<ProofOutcome> {
  const directory = mkdtempSync(join(tmpdir(), `holdfast-prove-${proof.name}-`));
  print(proof.what);
  const start = monotonic();
  let verdict: ProofVerdict;
  try {
    verdict = await withProgress(proof, { length, directory, seed }, (text) =>
      print(`${printTime(monotonic() - start)} ${text}`),
    );
  } catch (error) {
    verdict = { ok: false, summary: `stopped by ${error instanceof Error ? error.stack : String(error)}` };
  }
  const millis = monotonic() - start;
  if (verdict.ok) rmSync(directory, { recursive: true, force: true });
  const kept = verdict.ok ? "" : ` (seed ${seed}, see ${directory})`;
  print(`${wordFor(verdict)}, ${verdict.summary}, ${printTime(millis)}${kept}`);
  return { name: proof.name, what: proof.what, seed, millis, ...verdict };
}

/** Whoever says nothing for so long is asked about. */
const SILENCE_MILLIS = 60_000;

async function withProgress(
  proof: Proof,
  context: Omit<ProofContext, "progress">,
  print: (text: string) => void,
): Promise<ProofVerdict> {
  let isSilent = true;
  const watch = systemTimers.every(SILENCE_MILLIS, () => {
    if (isSilent) print("still at it");
    isSilent = true;
  });
  const progress = (text: string): void => {
    isSilent = false;
    print(text);
  };
  try {
    return await proof.run({ ...context, progress });
  } finally {
    watch.cancel();
  }
}

function wordFor({ ok, isNotRun = false }: Omit<ProofVerdict, "summary">): string {
  if (isNotRun) return "not run";
  return ok ? "holds" : "BROKEN";
}

export function printTable(outcomes: readonly ProofOutcome[]): string {
  if (outcomes.length === 0) return "no proofs were run\n";
  return printRows([
    ["proof", "verdict", "time", "summary"],
    ...outcomes.map(({ name, ok, isNotRun = false, millis, summary }) => [
      name,
      wordFor({ ok, isNotRun }),
      printTime(millis),
      summary.split("\n", 1)[0]!,
    ]),
  ]);
}

/** In columns; the last one is as wide as it is. */
export function printRows(rows: readonly (readonly string[])[]): string {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}\n`)
    .join("");
}

export function printTime(millis: number): string {
  const whole = Math.round(millis / 1_000);
  return whole < 60 ? `${(millis / 1_000).toFixed(1)} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
