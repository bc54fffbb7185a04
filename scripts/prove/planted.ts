import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monotonic } from "../../src/base/clock.ts";
import { type Plant, plantedEnvironment, readPlants, uselessEdits } from "../../test/support/planted.ts";
import type { ProofOutcome } from "../../test/support/proof.ts";
import { printRows, printTime } from "./run-proofs.ts";

/**
 * Whether the proofs would notice: each planted bug is put into the product, in a process of its own, and the proofs
 * that should catch it are run until one does.
 */
export interface PlantedOutcome {
  readonly name: string;
  readonly what: string;
  /** The proof that caught it; undefined when none did. */
  readonly caughtBy: string | undefined;
  readonly figure: string;
  readonly millis: number;
}

export interface RunPlanted {
  readonly root: string;
  readonly seed: number;
  /** Only these; all when there is none. */
  readonly only?: readonly string[] | undefined;
  readonly print: (line: string) => void;
}

export async function runPlanted({ root, seed, only, print }: RunPlanted): Promise<PlantedOutcome[]> {
  const useless = [...uselessEdits("src"), ...uselessEdits("dist")];
  if (useless.length > 0) throw new Error(`planted bugs that change nothing:\n${useless.join("\n")}`);
  const outcomes: PlantedOutcome[] = [];
  const plants = readPlants().filter(({ name }) => only === undefined || only.includes(name));
  for (const [index, plant] of plants.entries()) {
    const label = `[${index + 1}/${plants.length}] ${plant.name}`;
    print(`${label}: ${plant.what}`);
    const start = monotonic();
    const found = await catchPlant(root, plant, seed, (text) => print(`${label}: ${text}`));
    const millis = monotonic() - start;
    outcomes.push({ name: plant.name, what: plant.what, ...found, millis });
    const verdict = found.caughtBy === undefined ? "NOT CAUGHT" : `caught by ${found.caughtBy}`;
    print(`${label}: ${verdict}, ${printTime(millis)}, ${found.figure.split("\n", 1)[0]}`);
  }
  return outcomes;
}

async function catchPlant(
  root: string,
  plant: Plant,
  seed: number,
  print: (text: string) => void,
): Promise<Pick<PlantedOutcome, "caughtBy" | "figure">> {
  const missed: string[] = [];
  for (const proof of plant.proofs) {
    const outcome = await proveWith(root, plant.name, proof, seed, print);
    if (isCatch(outcome)) return { caughtBy: proof, figure: outcome!.figure };
    missed.push(`${proof}: ${outcome?.figure ?? "ended without a verdict"}`);
  }
  return { caughtBy: undefined, figure: missed.join("; ") };
}

/** A proof that could not run, or fell over, has seen nothing. */
function isCatch(outcome: ProofOutcome | undefined): boolean {
  if (outcome === undefined || outcome.ok || outcome.isNotRun === true) return false;
  return !outcome.figure.startsWith("stopped by");
}

async function proveWith(
  root: string,
  plant: string,
  proof: string,
  seed: number,
  print: (text: string) => void,
): Promise<ProofOutcome | undefined> {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-planted-"));
  const json = join(directory, "outcome.json");
  const args = ["--import", "tsx", join(root, "scripts", "prove.ts"), "--quick", "--only", proof];
  const child = spawn(process.execPath, [...args, "--seed", String(seed), "--json", json], {
    cwd: root,
    // What a broken proof keeps for the investigation is kept in here, and goes with it.
    env: { ...process.env, ...plantedEnvironment(plant), TMPDIR: directory },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const end = (): void => {
    child.kill("SIGTERM");
  };
  process.once("exit", end);
  child.stdout.on("data", (piece: Buffer) => {
    for (const line of piece.toString().split("\n")) {
      const progress = /^\[1\/1\] [\w-]+: (\d.*)$/.exec(line)?.[1];
      if (progress !== undefined) print(`${proof}: ${progress}`);
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

export function printPlanted(outcomes: readonly PlantedOutcome[]): string {
  return printRows([
    ["planted bug", "caught by", "time", "what was seen"],
    ...outcomes.map(({ name, caughtBy, millis, figure }) => [
      name,
      caughtBy ?? "NOBODY",
      printTime(millis),
      figure.split("\n", 1)[0]!,
    ]),
  ]);
}
