// Applies the edits of the mutant that HOLDFAST_MUTANT names to the source of single modules while Node loads
// them. A proof can so run against a product with a bug, and the product holds no line of that bug.
import { readFileSync } from "node:fs";

const mutants = JSON.parse(readFileSync(new URL("./mutants.json", import.meta.url), "utf8"));
const mutant = mutants.find(({ name }) => name === process.env.HOLDFAST_MUTANT);

// The program is one bundled file, and a mutant edits one of its modules, so the unbundled modules run
// instead.
export function resolve(specifier, context, nextResolve) {
  return nextResolve(specifier.replace(/\/dist\/cli\/holdfast\.js$/, "/dist/cli/main.js"), context);
}

export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  const module = /\/(?:src|dist)\/(.*)\.(?:ts|js)$/.exec(url.split("?")[0])?.[1];
  const edits = mutant?.edits.filter((edit) => edit.module === module) ?? [];
  if (edits.length === 0 || url.includes("/node_modules/")) return loaded;
  let source = loaded.source.toString();
  for (const { find, replace } of edits) source = source.replace(new RegExp(find), replace);
  return { ...loaded, source };
}
