import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monotonic } from "../../src/base/clock.ts";
import type { Proof, ProofOutcome, ProofVerdict } from "../../test/support/proof.ts";

export interface RunProofs {
  readonly proofs: readonly Proof[];
  readonly quick: boolean;
  readonly seed: number;
  readonly print: (line: string) => void;
}

/** One after the other: most of them want the whole machine. A proof that throws does not hold. */
export async function runProofs({ proofs, quick, seed, print }: RunProofs): Promise<ProofOutcome[]> {
  const outcomes: ProofOutcome[] = [];
  for (const [index, proof] of proofs.entries()) {
    const label = `[${index + 1}/${proofs.length}] ${proof.name}`;
    const directory = mkdtempSync(join(tmpdir(), `holdfast-prove-${proof.name}-`));
    print(`${label}: ${proof.what}`);
    const start = monotonic();
    let verdict: ProofVerdict;
    try {
      const progress = (text: string): void => print(`${label}: ${printTime(monotonic() - start)} ${text}`);
      verdict = await proof.run({ quick, directory, seed, progress });
    } catch (error) {
      verdict = {
        ok: false,
        figure: `stopped by ${error instanceof Error ? error.stack : String(error)}`,
      };
    }
    const millis = monotonic() - start;
    if (verdict.ok) rmSync(directory, { recursive: true, force: true });
    const kept = verdict.ok ? "" : ` (seed ${seed}, see ${directory})`;
    print(`${label}: ${wordFor(verdict)}, ${verdict.figure}, ${printTime(millis)}${kept}`);
    outcomes.push({ name: proof.name, what: proof.what, seed, millis, ...verdict });
  }
  return outcomes;
}

function wordFor({ ok, isNotRun = false }: Omit<ProofVerdict, "figure">): string {
  if (isNotRun) return "not run";
  return ok ? "holds" : "BROKEN";
}

export function printTable(outcomes: readonly ProofOutcome[]): string {
  if (outcomes.length === 0) return "no proofs were run\n";
  const rows = [
    ["proof", "verdict", "time", "figure"],
    ...outcomes.map(({ name, ok, isNotRun = false, millis, figure }) => [
      name,
      wordFor({ ok, isNotRun }),
      printTime(millis),
      figure.split("\n", 1)[0]!,
    ]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}\n`)
    .join("");
}

export function printTime(millis: number): string {
  const whole = Math.round(millis / 1_000);
  return whole < 60 ? `${(millis / 1_000).toFixed(1)} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
