import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { systemRandom } from "../src/base/random.ts";
import { readMutants } from "../test/support/mutants.ts";
import { isProof, type Proof, type ProofLength } from "../test/support/proof.ts";
import { proveInChild } from "./prove/child-process.ts";
import { writeSummaries } from "./prove/guarantees.ts";
import { printMutants, runMutants } from "./prove/mutants.ts";
import { printTable, runProofs } from "./prove/run-proofs.ts";

/** The long proofs, which take more time than a test may. */
const HELP = `npm run prove                     all of them: somewhat more than an hour
npm run prove -- --quick          fewer rounds: five to eight minutes
npm run prove -- --long           more rounds of those that an hour has no room for: several hours
npm run prove -- --only NAME      one of them (may be given several times)
npm run prove -- --list           what there is
npm run prove -- --mutants        whether the proofs catch the mutants of test/prove/mutants (--only: one of these)
npm run prove -- --json FILE      the outcomes as JSON, elsewhere than in dist/prove.json
npm run prove -- --docs           the results into docs/internals/guarantees.md as well
npm run prove -- --seed N         as it ran that time
npm run prove -- --from DIR       proofs from another directory than test/prove`;

async function loadProofs(directory: string): Promise<Proof[]> {
  if (!existsSync(directory)) return [];
  const files = readdirSync(directory).filter(
    (name) => /\.(ts|mjs)$/.test(name) && !name.endsWith(".test.ts"),
  );
  const proofs: Proof[] = [];
  for (const file of files.sort()) {
    const loaded = (await import(pathToFileURL(join(directory, file)).href)) as { proof?: unknown };
    if (isProof(loaded.proof)) proofs.push(loaded.proof);
  }
  return proofs;
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

function readArguments() {
  try {
    return parseArgs({
      options: {
        quick: { type: "boolean", default: false },
        long: { type: "boolean", default: false },
        list: { type: "boolean", default: false },
        mutants: { type: "boolean", default: false },
        docs: { type: "boolean", default: false },
        only: { type: "string", multiple: true },
        json: { type: "string" },
        seed: { type: "string" },
        from: { type: "string" },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    return fail(`${(error as Error).message}\n${HELP}`);
  }
}

const values = readArguments();
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const proofs = await loadProofs(
  values.from === undefined ? join(root, "test", "prove") : resolve(values.from),
);

if (values.list) {
  for (const { name, what, minutes } of proofs)
    console.log(`${name.padEnd(24)}${`${minutes} min`.padEnd(8)}${what}`);
  if (proofs.length === 0) console.log("there are no proofs yet");
  process.exit(0);
}

const givenSeed = values.seed ?? process.env.HOLDFAST_SEED;
const seed = givenSeed === undefined ? Math.trunc(systemRandom.fraction() * 2 ** 31) : Number(givenSeed);
if (!Number.isSafeInteger(seed)) fail(`--seed: expected a whole number, got "${givenSeed}"`);
// So that what was started is ended, too: programs end with the process that started them.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130));
const print = (line: string): void => console.log(line);
if (values.quick && values.long) fail("--quick and --long: one of them");
const length: ProofLength = values.quick ? "quick" : values.long ? "long" : "usual";

function writeJson(content: object): void {
  if (values.json === undefined && values.from !== undefined) return;
  const file = resolve(values.json ?? join(root, "dist", "prove.json"));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ at: new Date().toISOString(), seed, ...content }, null, 2)}\n`);
}

if (values.mutants) {
  const unknown = values.only?.find((name) => !readMutants().some((mutant) => mutant.name === name));
  if (unknown !== undefined) fail(`--only: there is no mutant ${unknown}`);
  const mutants = await runMutants({ seed, only: values.only, print });
  process.stdout.write(`\n${printMutants(mutants)}`);
  writeJson({ mutants });
  process.exit(mutants.every(({ caughtBy }) => caughtBy !== undefined) ? 0 : 1);
}

const wanted = values.only ?? proofs.map(({ name }) => name);
const missing = wanted.find((name) => !proofs.some((proof) => proof.name === name));
if (missing !== undefined) fail(`--only: there is no proof ${missing}; --list shows what there is`);
const chosen = proofs.filter(({ name }) => wanted.includes(name));
const outcomes = await runProofs({
  proofs: chosen,
  length,
  seed,
  print,
  ...(chosen.length > 1 && values.from === undefined ? { runInChild: proveInChild } : {}),
});
process.stdout.write(`\n${printTable(outcomes)}`);
writeJson({ length, outcomes });
if (values.docs) writeSummaries(join(root, "docs", "internals", "guarantees.md"), outcomes, length);
process.exit(outcomes.every(({ ok }) => ok) ? 0 : 1);
