import { posix } from "node:path";
import { type Finding, lineAt, type SourceFile, type Tree } from "./tree.ts";

/** The library is what the package offers: its exports are used by programs outside of this repository. */
const LIBRARY = "src/process/library.ts";

const DECLARED =
  /^export (?:default )?(?:abstract )?(?:async )?(function\*?|class|const|let|interface|type|enum) (\w+)/gm;
const LISTED = /^export (?:type )?\{([^}]*)\}/gm;
const FROM = /\b(import|export)\s+(?:type\s+)?([\w\s{},*$]+?)\s*from\s*"(\.[^"\n]+)"/g;
const BY_CALL = /\bimport\(\s*"(\.[^"\n]+)"\s*\)(?:\.(\w+))?/g;

/** Names that some file takes from each path; "*" stands for all of them. */
type Uses = Map<string, Set<string>>;

/**
 * Exports of src that no other file imports. Tests, scripts and benchmarks count as importers. A type that
 * its own file uses may stay exported: it describes an argument or a result, and callers may have to name it.
 */
export function checkExports({ sources }: Tree): Finding[] {
  const uses: Uses = new Map();
  for (const source of sources) collectUses(source, uses);
  return sources
    .filter(({ path }) => path.startsWith("src/") && path !== LIBRARY && !path.endsWith(".test.ts"))
    .flatMap((source) => {
      const used = uses.get(source.path) ?? new Set();
      if (used.has("*")) return [];
      return exportsOf(source)
        .filter(({ name, isType }) => !used.has(name) && !(isType && isUsedInside(source, name)))
        .map(({ name, index }) => ({
          path: source.path,
          line: lineAt(source.text, index),
          what: `no other file imports ${name}: remove the export, or the code`,
        }));
    });
}

interface Export {
  readonly name: string;
  readonly index: number;
  readonly isType: boolean;
}

function exportsOf({ bare }: SourceFile): Export[] {
  const declared = [...bare.matchAll(DECLARED)].map(({ index, 1: keyword, 2: name }) => ({
    name: name!,
    index,
    isType: keyword === "interface" || keyword === "type",
  }));
  const listed = [...bare.matchAll(LISTED)].flatMap(({ index, 1: names }) =>
    namesIn(names!).map(({ outer }) => ({ name: outer, index, isType: false })),
  );
  return [...declared, ...listed];
}

function isUsedInside({ bare }: SourceFile, name: string): boolean {
  return [...bare.matchAll(new RegExp(`\\b${name}\\b`, "g"))].length > 1;
}

/** `a`, `type b`, `c as d`: the name in the file named by `from`, and the name it gets here. */
function namesIn(list: string): { readonly inner: string; readonly outer: string }[] {
  return list
    .split(",")
    .map((one) => one.trim().replace(/^type\s+/, ""))
    .filter((one) => one !== "")
    .map((one) => {
      const [inner, outer = inner] = one.split(/\s+as\s+/);
      return { inner: inner!, outer: outer! };
    });
}

function collectUses({ path, code, bare }: SourceFile, uses: Uses): void {
  const add = (from: string, names: readonly string[]): void => {
    const file = posix.join(posix.dirname(path), from);
    const used = uses.get(file) ?? new Set();
    uses.set(file, used);
    for (const name of names) used.add(name);
  };
  for (const { 1: keyword, 2: clause, 3: from, index } of code.matchAll(FROM)) {
    // What looks like an import inside a string is blank in `bare`.
    if (bare[index] === " ") continue;
    const namespace = /\*\s*as\s+(\w+)/.exec(clause!)?.[1];
    const braces = /\{([^}]*)\}/.exec(clause!)?.[1];
    if (namespace !== undefined && keyword === "import")
      add(
        from!,
        [...bare.matchAll(new RegExp(`\\b${namespace}\\.(\\w+)`, "g"))].map((found) => found[1]!),
      );
    else if (clause!.includes("*")) add(from!, ["*"]);
    if (braces !== undefined)
      add(
        from!,
        namesIn(braces).map(({ inner }) => inner),
      );
  }
  for (const { 1: from, 2: name } of code.matchAll(BY_CALL)) add(from!, [name ?? "*"]);
}
