import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type ConvertedRule, isConverted } from "./tidy/converted.ts";
import { checkCycles } from "./tidy/cycles.ts";
import { checkExports } from "./tidy/export-rules.ts";
import { checkImports, checkUnused } from "./tidy/import-rules.ts";
import { checkCommentLines, checkDocumentLines } from "./tidy/line-rules.ts";
import { checkRetiredWords } from "./tidy/retired-words.ts";
import { checkDocuments, checkLockFile, checkSizes, checkWords } from "./tidy/text-rules.ts";
import { type Finding, loadTree, type Tree } from "./tidy/tree.ts";

/**
 * What no compiler and no linter checks: which way imports point, where packages live, which layers may read
 * the clock, which words are retired. The rules are the tables in the files of scripts/tidy.
 *
 *   tidy [directory]          prints `path:line: what` for each finding; exit code 1 when there is one
 *   tidy --all [directory]    the same, with the findings in folders that are not converted yet
 */
const RULES: readonly ((tree: Tree) => Finding[])[] = [
  checkImports,
  checkUnused,
  checkWords,
  checkSizes,
  checkLockFile,
  checkDocuments,
];

/** Rules that do not hold yet where tidy/converted.ts says so. */
const RULES_OF_CONVERTED: readonly (readonly [ConvertedRule, (tree: Tree) => Finding[]])[] = [
  ["words", checkRetiredWords],
  ["lines", checkCommentLines],
  ["lines", checkDocumentLines],
  ["exports", checkExports],
  ["cycles", checkCycles],
];

export interface TidyOptions {
  /** Report findings also where a rule does not hold yet. */
  readonly all?: boolean;
}

export function tidy(root: string, { all = false }: TidyOptions = {}): Finding[] {
  const tree = loadTree(root);
  const findings = RULES.flatMap((rule) => rule(tree));
  for (const [name, rule] of RULES_OF_CONVERTED)
    findings.push(...rule(tree).filter(({ path }) => all || isConverted(name, path)));
  return findings.sort((one, other) => one.path.localeCompare(other.path) || one.line - other.line);
}

if (import.meta.url === pathToFileURL(process.argv[1]!).href) {
  const args = process.argv.slice(2).filter((arg) => arg !== "--all");
  const root = args[0] ?? join(dirname(fileURLToPath(import.meta.url)), "..");
  const findings = tidy(root, { all: process.argv.includes("--all") });
  for (const { path, line, what } of findings) console.log(`${path}:${line}: ${what}`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
