import { dirname, posix } from "node:path";
import { layerOf } from "./import-rules.ts";
import { type Finding, lineAt, type SourceFile, type Tree } from "./tree.ts";

const FILE_LINES_MAX = 450;

interface Word {
  readonly pattern: RegExp;
  readonly what: string;
  readonly isAllowed: (source: SourceFile) => boolean;
}

const isTest = (path: string): boolean => path.endsWith(".test.ts");
const isShipped = ({ path }: SourceFile): boolean => path.startsWith("src/") && !isTest(path);
const outside =
  (...layers: readonly string[]) =>
  (source: SourceFile): boolean =>
    !isShipped(source) || layers.includes(layerOf(source.path)!);

/** Time, randomness and timers come from base, so that a test can hold them. */
const HELD_BY_BASE: readonly Word[] = [
  {
    pattern: /\bDate\.now\b/g,
    what: "Date.now: take the time from a Clock of base",
    isAllowed: outside("base", "memory", "digest", "observability"),
  },
  {
    pattern: /\bnew Date\(\s*\)/g,
    what: "new Date(): take the time from a Clock of base",
    isAllowed: outside("base", "memory", "digest", "observability"),
  },
  {
    pattern: /\bperformance\.now\b/g,
    what: "performance.now: use monotonic() of base",
    isAllowed: outside("base", "memory", "digest", "observability"),
  },
  {
    pattern: /\bprocess\.hrtime\b/g,
    what: "process.hrtime: use monotonic() of base",
    isAllowed: outside("base", "memory", "digest", "observability"),
  },
  {
    pattern: /\bMath\.random\b/g,
    what: "Math.random: take a Random of base",
    isAllowed: outside("base", "memory", "digest", "observability"),
  },
  {
    pattern: /(?<!\.)\bsetTimeout\b/g,
    what: "setTimeout: take Timers of base",
    isAllowed: outside("base", "memory", "digest", "observability"),
  },
  {
    pattern: /\bsetInterval\b/g,
    what: "setInterval: take Timers of base",
    isAllowed: outside("base", "memory", "digest", "observability"),
  },
  {
    pattern: /\bsetImmediate\b/g,
    what: "setImmediate: only base, http and store schedule turns",
    isAllowed: outside("base", "memory", "digest", "observability", "http", "store"),
  },
  {
    pattern: /\b(?:async|await|Promise)\b/g,
    what: "the rules in concurrency are plain functions: nothing asynchronous",
    isAllowed: (source) => !isShipped(source) || layerOf(source.path) !== "concurrency",
  },
];

const never = (): boolean => false;
const CODE_LEFTOVERS: readonly Word[] = [
  { pattern: /\.only\(/g, what: "a test singled out", isAllowed: never },
  { pattern: /\bonly: true\b/g, what: "a test singled out", isAllowed: never },
  { pattern: /\bdebugger\b/g, what: "a breakpoint", isAllowed: never },
  {
    pattern: /\bconsole\.(?:log|debug|info|warn|error)\b/g,
    what: "console: use the log of base",
    isAllowed: outside("cli", "process"),
  },
];

// Put together from halves, because the rule reads this file as well.
const NOTE = new RegExp(
  `\\b(?:${["TO", "FIX"].map((half, index) => half + ["DO", "ME"][index]).join("|")})\\b`,
  "g",
);

function find(
  source: SourceFile,
  text: string,
  { pattern, what }: Pick<Word, "pattern" | "what">,
): Finding[] {
  return [...text.matchAll(pattern)].map(({ index }) => ({
    path: source.path,
    line: lineAt(text, index),
    what,
  }));
}

export function checkWords({ sources }: Tree): Finding[] {
  return sources.flatMap((source) => [
    ...[...HELD_BY_BASE, ...CODE_LEFTOVERS]
      .filter((word) => !word.isAllowed(source))
      .flatMap((word) => find(source, source.bare, word)),
    // Notes to oneself stand in comments and strings, so the whole text is read.
    ...find(source, source.text, { pattern: NOTE, what: "a note of unfinished work" }),
  ]);
}

export function checkSizes({ sources }: Tree): Finding[] {
  return sources
    .filter(({ path }) => path.startsWith("src/"))
    .flatMap(({ path, text }) => {
      const lines = text.split("\n").length - 1;
      if (lines <= FILE_LINES_MAX) return [];
      return [
        {
          path,
          line: FILE_LINES_MAX + 1,
          what: `${lines} lines: past ${FILE_LINES_MAX} there are usually two subjects`,
        },
      ];
    });
}

/** The lock file must not remember which registry it was made with. */
export function checkLockFile({ lockFile }: Tree): Finding[] {
  if (lockFile === undefined) return [];
  return [...lockFile.matchAll(/"resolved":/g)].map(({ index }) => ({
    path: "package-lock.json",
    line: lineAt(lockFile, index),
    what: "an address of a package registry",
  }));
}

const MENTIONED = /`((?:src|test|bench|scripts|docs)\/[A-Za-z0-9_./-]*[A-Za-z0-9_/-])`/g;
const LINKED = /\]\((?![a-z]+:|#)([^)\s#]+)[^)]*\)/g;

/**
 * A document that names a file speaks of one that exists. Placeholders (`docs/decisions/NNNN-title.md`) are
 * none.
 */
export function checkDocuments(tree: Tree): Finding[] {
  return tree.documents.flatMap(({ path, text }) => {
    const named = [...text.matchAll(MENTIONED)].map(({ index, 1: file }) => ({ index, file: file! }));
    const linked = [...text.matchAll(LINKED)].map(({ index, 1: file }) => ({
      index,
      file: posix.join(dirname(path), decodeURI(file!)),
    }));
    return [...named, ...linked]
      .filter(({ file }) => !file.includes("NNNN") && !tree.has(file))
      .map(({ index, file }) => ({
        path,
        line: lineAt(text, index),
        what: `names ${file}, which does not exist`,
      }));
  });
}
