import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The bugs that show whether the proofs find bugs: test/prove/mutants/mutants.json, applied by hooks.mjs.
 */
export interface Mutant {
  readonly name: string;
  readonly what: string;
  /** Which proofs must catch it: one of them is enough. */
  readonly proofs: readonly string[];
  readonly edits: readonly { readonly module: string; readonly find: string; readonly replace: string }[];
}

const folder = fileURLToPath(new URL("../prove/mutants/", import.meta.url));
const repository = fileURLToPath(new URL("../../", import.meta.url));

export function readMutants(): Mutant[] {
  return JSON.parse(readFileSync(join(folder, "mutants.json"), "utf8")) as Mutant[];
}

/** What a process needs in its environment to have the bug. Its children inherit it. */
export function mutantEnvironment(name: string): Record<string, string> {
  if (!readMutants().some((mutant) => mutant.name === name)) throw new Error(`there is no mutant ${name}`);
  const options = `${process.env.NODE_OPTIONS ?? ""} --import ${join(folder, "register.mjs")}`.trim();
  return { NODE_OPTIONS: options, HOLDFAST_MUTANT: name };
}

/**
 * Edits that would change nothing, because the code has moved on; in the sources, and in what is built of
 * them.
 */
export function uselessEdits(where: "src" | "dist"): string[] {
  const extension = where === "src" ? "ts" : "js";
  return readMutants().flatMap(({ name, edits }) =>
    edits.flatMap(({ module, find, replace }) => {
      const source = readFileSync(join(repository, where, `${module}.${extension}`), "utf8");
      return source.replace(new RegExp(find), replace) === source ? [`${name}: ${module}: ${find}`] : [];
    }),
  );
}
