import { relative } from "node:path";
import { run } from "node:test";
import { inspect } from "node:util";
import type { Cost } from "./cost.ts";

/** Runs test files with Node's runner and prints what a reader wants to know: failures, skips, counts. */
export interface TestRun {
  readonly root: string;
  readonly files: readonly string[];
  readonly concurrency: number;
  readonly fileTimeout: number;
  readonly print: (text: string) => void;
  /** The source of a file that runs. */
  readonly sourceOf: (file: string) => string;
}

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export interface TestResult extends Counts {
  /** The runner's own summary: "tests 12", "pass 11"... */
  readonly summary: readonly string[];
}

interface FileResult {
  readonly file: string;
  readonly counts: Counts;
  millis: number;
}

interface Event {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string;
  readonly skip?: string | boolean;
  readonly todo?: string | boolean;
  readonly message?: string;
  readonly details?: { readonly duration_ms?: number; readonly type?: string; readonly error?: Error };
}

export async function runTests({
  root,
  files,
  concurrency,
  fileTimeout,
  print,
  sourceOf,
}: TestRun): Promise<TestResult> {
  const total: Counts = { passed: 0, failed: 0, skipped: 0 };
  const failures: string[] = [];
  const skips: string[] = [];
  const summary: string[] = [];
  const shown = (file: string | undefined): string =>
    file === undefined ? "" : relative(root, sourceOf(file));
  let current: FileResult | undefined;

  /**
   * Tests that several files share report under the file that holds them; they are added up and shown at the
   * end.
   */
  const shared = new Map<string, FileResult>();
  const show = ({ file, counts, millis }: FileResult): void =>
    print(`${counts.failed > 0 ? "FAIL" : "ok  "} ${file}  ${printCounts(counts)}  ${seconds(millis)}\n`);
  const finishFile = (): void => {
    if (current === undefined) return;
    const { file, counts, millis } = current;
    if (file.endsWith(".test.ts")) show(current);
    else {
      const sum = shared.get(file) ?? { file, counts: { passed: 0, failed: 0, skipped: 0 }, millis: 0 };
      for (const outcome of ["passed", "failed", "skipped"] as const) sum.counts[outcome] += counts[outcome];
      sum.millis += millis;
      shared.set(file, sum);
    }
    current = undefined;
  };
  const record = (event: Event, isPass: boolean): void => {
    const file = shown(event.file);
    const isSkipped = event.skip !== undefined && event.skip !== false;
    const isPlainSuite = isPass && !isSkipped && event.details?.type === "suite";
    // A suite that a helper opens for a test file ends after the tests of that file, and is part of it.
    if (isPlainSuite && current?.file.endsWith(".test.ts")) {
      if (event.nesting === 0) current.millis += event.details?.duration_ms ?? 0;
      return;
    }
    if (current?.file !== file) {
      finishFile();
      current = { file, counts: { passed: 0, failed: 0, skipped: 0 }, millis: 0 };
    }
    if (event.nesting === 0) current.millis += event.details?.duration_ms ?? 0;
    if (isPlainSuite) return;
    const outcome = isSkipped ? "skipped" : isPass ? "passed" : "failed";
    // A suite or a test fails again for each part of it that failed: the part is the one to count and to
    // show.
    const isEcho = outcome === "failed" && isEchoOfPart(event.details?.error);
    if (!isEcho) {
      current.counts[outcome]++;
      total[outcome]++;
    }
    if (isSkipped)
      skips.push(
        `${file}: ${event.name}: ${typeof event.skip === "string" && event.skip ? event.skip : "no reason given"}`,
      );
    if (outcome === "failed" && !isEcho)
      failures.push(`${file}: ${event.name}\n${indent(explain(event.details?.error))}`);
  };

  const stream = run({ files: [...files], concurrency, timeout: fileTimeout });
  stream.on("test:pass", (event: Event) => record(event, true));
  stream.on("test:fail", (event: Event) => record(event, false));
  stream.on("test:stderr", (event: Event) => print(event.message ?? ""));
  stream.on("test:diagnostic", (event: Event) => {
    // Diagnostics of the whole run carry the counts; those of a test belong to a file.
    if (
      event.nesting === 0 &&
      /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/.test(event.message ?? "")
    )
      summary.push(event.message!);
  });
  for await (const _ of stream);
  finishFile();
  for (const result of shared.values()) show(result);
  if (skips.length > 0) print(`\nskipped:\n${skips.map((line) => `  ${line}\n`).join("")}`);
  if (failures.length > 0) print(`\nfailed:\n${failures.map((text) => `${indent(text)}\n`).join("\n")}`);
  return { ...total, summary };
}

const DEAREST = 10;

/** The files that took most of a core, as lines: where to look when the tests have become slow. */
export function printDearest(costs: ReadonlyMap<string, Cost>): string[] {
  const rows = [...costs].sort(([, one], [, other]) => other.core - one.core).slice(0, DEAREST);
  const total = [...costs.values()].reduce((sum, { core }) => sum + core, 0);
  return [
    `dearest of ${costs.size} files, which took ${total.toFixed(0)} seconds of a core:`,
    ...rows.map(([file, { core, passed }]) => `  ${core.toFixed(1)} s in ${passed.toFixed(1)} s  ${file}`),
  ];
}

function isEchoOfPart(error: Error | undefined): boolean {
  return (error as { failureType?: string } | undefined)?.failureType === "subtestsFailed";
}

function explain(error: Error | undefined): string {
  const cause = (error as { cause?: unknown } | undefined)?.cause ?? error;
  return typeof cause === "string" ? cause : inspect(cause, { depth: 3 });
}

export function printCounts({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

export function seconds(millis: number): string {
  return `${(millis / 1_000).toFixed(1)} s`;
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}
