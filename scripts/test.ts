import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { monotonic } from "../src/base/clock.ts";
import type { TestDatabase } from "../test/kit/postgres.ts";
import { type Compiled, compileTests } from "./test/compile.ts";
import { COSTS_FILE, readCosts } from "./test/cost.ts";
import { installMissing, NEEDED, thisSystem } from "./test/programs.ts";
import { printCounts, printDearest, runTests, seconds } from "./test/report.ts";

/**
 * The one test command: types, lint and tidy beside each other, programs the tests need, then every test.
 *
 *   npm test                    everything
 *   npm test -- blob lease      only test files with "blob" or "lease" in their path
 *   npm test -- --only-tests    without types, lint and tidy
 */
/** One more than the cores of a small machine: most files wait for disks, timers or programs. */
const CONCURRENCY = 3;
const FILE_TIMEOUT_MILLIS = 10 * 60_000;

const args = process.argv.slice(2);
const rootAt = args.indexOf("--root");
const root =
  rootAt < 0 ? join(dirname(fileURLToPath(import.meta.url)), "..") : resolve(args[rootAt + 1] ?? "");
if (rootAt >= 0) args.splice(rootAt, 2);
const unknown = args.find((arg) => arg.startsWith("-") && arg !== "--only-tests");
if (unknown !== undefined) {
  console.error(`${unknown}: expected --only-tests, or a part of a test file's path`);
  process.exit(2);
}
const onlyTests = args.includes("--only-tests");
const filters = args.filter((arg) => !arg.startsWith("-"));

interface Stage {
  readonly name: string;
  readonly isOk: boolean;
  readonly millis: number;
}

async function check(name: string, command: readonly string[]): Promise<Stage> {
  const start = monotonic();
  let output = "";
  const child = spawn(process.execPath, [...command], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (piece: string) => {
      output += piece;
    });
  const isOk = await new Promise<boolean>((done) => {
    child.on("error", () => done(false));
    child.on("close", (code) => done(code === 0));
  });
  const millis = monotonic() - start;
  console.log(`${isOk ? "ok  " : "FAIL"} ${name}  ${seconds(millis)}`);
  if (!isOk) process.stdout.write(output);
  return { name, isOk, millis };
}

function testFiles(): string[] {
  const found = ["src", "test"].flatMap((folder) => {
    if (!existsSync(join(root, folder))) return [];
    return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) =>
      join(folder, path),
    );
  });
  return (
    found
      .filter((path) => path.endsWith(".test.ts"))
      .filter((path) => filters.length === 0 || filters.some((filter) => path.includes(filter)))
      // Those of whole programs take longest and come first, so that none of them runs alone at the end.
      .sort((a, b) => Number(b.startsWith("test")) - Number(a.startsWith("test")) || (a < b ? -1 : 1))
      .map((path) => join(root, path))
  );
}

const stages: Stage[] = [];
if (!onlyTests) {
  stages.push(
    ...(await Promise.all([
      check("types", ["node_modules/typescript/bin/tsc", "-p", "tsconfig.json"]),
      // Lint and tidy one after the other: together they take about as long as the types, on the second core.
      (async () => [
        await check("lint", ["node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings", "."]),
        await check("tidy", ["--import", "tsx", "scripts/tidy.ts"]),
      ])(),
    ]).then((results) => results.flat())),
  );
}

const programsStart = monotonic();
console.log(`     programs: ${installMissing(NEEDED, thisSystem)}\n`);
stages.push({ name: "programs", isOk: true, millis: monotonic() - programsStart });

/**
 * One PostgreSQL for all test files that need one: making one takes seconds, and each of them would make its
 * own.
 */
async function startSharedDatabase(paths: readonly string[]): Promise<TestDatabase | undefined> {
  const isNeeded = paths.some((path) => readFileSync(path, "utf8").includes("postgres"));
  if (rootAt >= 0 || !isNeeded) return undefined;
  const { SHARED_PORT, TestDatabase } = await import("../test/kit/postgres.ts");
  const database = await TestDatabase.create();
  process.env[SHARED_PORT] = String(database.port);
  return database;
}

/** With the loader instead, when they cannot be compiled: then only the file that is at fault fails. */
async function compile(sources: readonly string[]): Promise<Compiled> {
  const preload = join(dirname(fileURLToPath(import.meta.url)), "test", "cost.ts");
  try {
    return await compileTests({ root, sources, preload });
  } catch (error) {
    console.log(`     not compiled, each file loads its own sources: ${(error as Error).message}`);
    const flags = ["--import", "tsx", "--import", preload];
    return { files: sources, flags, sourceOf: (path) => path, remove: () => {} };
  }
}

const files = testFiles();
const database = await startSharedDatabase(files);
if (files.length === 0) console.log(`no test file matches ${filters.join(" or ")}`);
const testsStart = monotonic();
const scratch = mkdtempSync(join(tmpdir(), "holdfast-test-run-"));
const costsFile = join(scratch, "costs");
process.env[COSTS_FILE] = costsFile;
const compiled = await compile(files);
// The runner gives our own flags to the files it starts, and has no other way to give them any.
process.execArgv = [...compiled.flags];
const result = await runTests({
  root,
  files: compiled.files,
  concurrency: CONCURRENCY,
  fileTimeout: FILE_TIMEOUT_MILLIS,
  print: (text) => process.stdout.write(text),
  sourceOf: compiled.sourceOf,
});
await database?.remove();
compiled.remove();
const costs = new Map(
  [...readCosts(costsFile)].map(([path, cost]) => [relative(root, compiled.sourceOf(path)), cost]),
);
rmSync(scratch, { recursive: true, force: true });
const testsOk = result.failed === 0 && files.length > 0;
stages.push({ name: "tests", isOk: testsOk, millis: monotonic() - testsStart });

console.log("");
for (const line of printDearest(costs)) console.log(line);
console.log("\nstages:");
for (const { name, isOk, millis } of stages)
  console.log(`  ${name.padEnd(10)}${(isOk ? "ok" : "failed").padEnd(8)}${seconds(millis)}`);
console.log("");
for (const line of result.summary) console.log(`ℹ ${line}`);
console.log(printCounts(result));
process.exit(stages.every(({ isOk }) => isOk) ? 0 : 1);
