import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { checkImports, checkUnused } from "./tidy/import-rules.ts";
import { checkDocuments, checkLockFile, checkSizes, checkWords } from "./tidy/text-rules.ts";
import { type Finding, loadTree, type Tree } from "./tidy/tree.ts";

/**
 * What no compiler and no linter looks at: which way imports point, where packages live, who may read the clock,
 * what was left behind. The rules are the tables in tidy/import-rules.ts and tidy/text-rules.ts.
 *
 *   tidy [directory]    prints `path:line: what` for each finding; exit code 1 when there is one
 */
const RULES: readonly ((tree: Tree) => Finding[])[] = [
  checkImports,
  checkUnused,
  checkWords,
  checkSizes,
  checkLockFile,
  checkDocuments,
];

export function tidy(root: string): Finding[] {
  const tree = loadTree(root);
  return RULES.flatMap((rule) => rule(tree)).sort(
    (one, other) => one.path.localeCompare(other.path) || one.line - other.line,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1]!).href) {
  const findings = tidy(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), ".."));
  for (const { path, line, what } of findings) console.log(`${path}:${line}: ${what}`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
