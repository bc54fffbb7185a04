import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { blank } from "./blank.ts";

/** The files of a repository as the rules see them. Paths are relative to its root, with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** The text with comments blanked out: where imports are looked for. */
  readonly code: string;
  /**
   * The text with comments and the inside of strings blanked out: where words of the language are looked for.
   */
  readonly bare: string;
  readonly imports: readonly Import[];
}

export interface Import {
  readonly line: number;
  /** As written: "node:fs", "pino", "../base/clock.ts". */
  readonly from: string;
  /** The file a relative import names; undefined for a package. */
  readonly file: string | undefined;
  /** Whether it is an import, not the address of a worker's file. */
  readonly isImport: boolean;
}

export interface Tree {
  readonly root: string;
  readonly sources: readonly SourceFile[];
  readonly documents: readonly { readonly path: string; readonly text: string }[];
  readonly lockFile: string | undefined;
  has(path: string): boolean;
}

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly what: string;
}

const SOURCE_FOLDERS = ["src", "test", "bench", "scripts"];
const IMPORT = /\b(?:from\s*|import\s*\(?\s*)"([^"\n]+)"|new URL\(\s*"([^"\n]+)",\s*import\.meta\.url/g;

export function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < index; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

export function loadTree(root: string): Tree {
  const walk = (folder: string): string[] => {
    if (!existsSync(join(root, folder))) return [];
    return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
      .filter((path) => !path.includes("node_modules/") && !path.includes("/results/"));
  };
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  const sources = SOURCE_FOLDERS.flatMap(walk)
    .filter((path) => /\.(ts|mjs|mts)$/.test(path))
    .sort()
    .map((path) => parseSource(path, read(path)));
  const atTop = readdirSync(root).filter((name) => statSync(join(root, name)).isFile());
  return {
    root,
    sources,
    documents: [...atTop, ...walk("docs")]
      .filter((path) => path.endsWith(".md"))
      .sort()
      .map((path) => ({ path, text: read(path) })),
    lockFile: atTop.includes("package-lock.json") ? read("package-lock.json") : undefined,
    has: (path) => existsSync(join(root, path)),
  };
}

export function parseSource(path: string, text: string): SourceFile {
  const { code, bare } = blank(text);
  const imports = [...code.matchAll(IMPORT)]
    // What looks like an import inside a string is a text about imports: its keyword is blank in `bare`.
    .filter((found) => bare[found.index] !== " ")
    .map((found) => {
      const from = (found[1] ?? found[2])!;
      const file = from.startsWith(".") ? posix.normalize(posix.join(dirname(path), from)) : undefined;
      return { line: lineAt(text, found.index), from, file, isImport: found[1] !== undefined };
    });
  return { path, text, code, bare, imports };
}
