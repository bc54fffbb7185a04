import { pathToFileURL } from "node:url";
import { build } from "esbuild";

/**
 * One plain JavaScript file from a TypeScript entry, for child processes: it starts in a tenth of the time
 * that a loader takes, which decides how many crashes fit into a test. Packages stay outside, by their
 * address.
 */
export async function bundleScript(entry: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
    plugins: [
      {
        name: "packages-stay-outside",
        setup(it) {
          it.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
            if (kind === "entry-point") return undefined;
            const isBuiltIn = path.startsWith("node:");
            return { external: true, path: isBuiltIn ? path : addressOf(path) };
          });
        },
      },
    ],
  });
}

function addressOf(name: string): string {
  const address = import.meta.resolve(name);
  return address.startsWith("file:") ? address : pathToFileURL(address).href;
}
