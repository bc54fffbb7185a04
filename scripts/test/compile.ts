import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin, stop } from "esbuild";
import { systemClock } from "../../src/base/clock.ts";

/**
 * Test files as plain JavaScript, all of them made at once: a loader that reads TypeScript costs each file
 * one to two seconds of a core before its first test, which for all files together is more than three
 * minutes.
 *
 * What several files import is in modules of its own, so a process still has one copy of it. Packages stay
 * where they are. Failures, stacks and the places of tests are told by the source, through its maps.
 */
export interface Compiled {
  /** What to run, in the order of what was given. */
  readonly files: readonly string[];
  /** Flags of Node that go with them. */
  readonly flags: readonly string[];
  /** The source of a file that was made here; any other path as it is. */
  sourceOf(path: string): string;
  remove(): void;
}

const LEFT_BEHIND_MILLIS = 6 * 3_600_000;

export async function compileTests({
  root,
  sources,
  preload,
}: {
  readonly root: string;
  readonly sources: readonly string[];
  /** Loaded before each of them. */
  readonly preload: string;
}): Promise<Compiled> {
  const parent = join(root, ".cache");
  mkdirSync(parent, { recursive: true });
  removeLeftBehind(parent);
  // Inside the tree, so that the names of packages find what is installed there.
  const outdir = mkdtempSync(join(parent, "tests-"));
  const remove = (): void => rmSync(outdir, { recursive: true, force: true });
  const names = sources.map((source) => relative(root, source).replace(/\.ts$/, ""));
  try {
    await build({
      entryPoints: [
        { in: preload, out: "preload" },
        ...names.map((name, index) => ({ in: sources[index]!, out: name })),
      ],
      outdir,
      bundle: true,
      splitting: true,
      platform: "node",
      format: "esm",
      target: "node20",
      packages: "external",
      keepNames: true,
      sourcemap: "linked",
      logLevel: "silent",
      define: { "import.meta.url": OWN_ADDRESS },
      plugins: [ownAddresses],
    });
  } catch (error) {
    remove();
    throw error;
  } finally {
    // Its process would keep what it knows, 200 MB, until the last test has run.
    await stop();
  }
  const made = new Map(names.map((name, index) => [join(outdir, `${name}.js`), sources[index]!]));
  return {
    files: [...made.keys()],
    flags: ["--enable-source-maps", "--import", join(outdir, "preload.js")],
    sourceOf: (path) => made.get(path) ?? path,
    remove,
  };
}

/** Tests find what lies beside them by their own address, which must stay that of the source. */
const OWN_ADDRESS = "addressOfThisSource";
const ownAddresses: Plugin = {
  name: "own-addresses",
  setup(it) {
    it.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      if (!text.includes("import.meta.url")) return undefined;
      // On the first line, before what is there: the numbers of the lines stay as they are.
      const address = `const ${OWN_ADDRESS} = ${JSON.stringify(pathToFileURL(path).href)};`;
      return { contents: address + text, loader: "ts" };
    });
  },
};

/** A run that was killed could not remove its own. */
function removeLeftBehind(parent: string): void {
  for (const name of readdirSync(parent).filter((one) => one.startsWith("tests-"))) {
    const path = join(parent, name);
    const age = existsSync(path) ? systemClock.now() - statSync(path).mtimeMs : 0;
    if (age > LEFT_BEHIND_MILLIS) rmSync(path, { recursive: true, force: true });
  }
}
