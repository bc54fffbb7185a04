// Changes the source of single modules while they are loaded, as the planted bug that HOLDFAST_PLANTED names
// says. It is how a proof meets a product with a bug in it, without a line of that bug in the product.
import { readFileSync } from "node:fs";

const plants = JSON.parse(readFileSync(new URL("./plants.json", import.meta.url), "utf8"));
const plant = plants.find(({ name }) => name === process.env.HOLDFAST_PLANTED);

// The program is one file; a bug is planted in one of the modules it was made of, so those are run in its
// place.
export function resolve(specifier, context, nextResolve) {
  return nextResolve(specifier.replace(/\/dist\/cli\/holdfast\.js$/, "/dist/cli/main.js"), context);
}

export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  const module = /\/(?:src|dist)\/(.*)\.(?:ts|js)$/.exec(url.split("?")[0])?.[1];
  const edits = plant?.edits.filter((edit) => edit.module === module) ?? [];
  if (edits.length === 0 || url.includes("/node_modules/")) return loaded;
  let source = loaded.source.toString();
  for (const { find, replace } of edits) source = source.replace(new RegExp(find), replace);
  return { ...loaded, source };
}
