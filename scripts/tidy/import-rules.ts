import type { Finding, SourceFile, Tree } from "./tree.ts";

/** Which way imports point: main -> http, smb -> services -> concurrency, store, extents -> base. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  concurrency: ["base"],
  extents: ["base"],
  store: ["base"],
  services: ["base", "concurrency", "store", "extents"],
  http: ["base", "concurrency", "services"],
  smb: ["base", "concurrency", "services"],
  main: ["base", "concurrency", "extents", "store", "services", "http", "smb"],
};

/** Only main names an engine: nothing above the store can tell which one runs. */
const ENGINES = ["src/store/memory/", "src/store/embedded/", "src/store/postgres/"];

/** What a service may see of the store: the interface, the key layouts and the record formats. */
const STORE_FOR_SERVICES = ["src/store/kv.ts", "src/store/keys/", "src/store/records/"];

/** A package stays in one place, so that replacing it is one piece of work. Layers stand for their folders. */
const PACKAGE_HOMES: Readonly<Record<string, readonly string[]>> = {
  lmdb: ["src/store/embedded/"],
  pg: ["src/store/postgres/"],
  postgres: ["src/store/postgres/"],
  msgpackr: ["src/store/records/"],
  pino: ["src/base/log.ts"],
  "prom-client": ["src/base/metrics.ts"],
  commander: ["src/options.ts", "src/options-flags.ts"],
  "node:http": ["http", "smb", "main"],
  "node:https": ["http", "smb", "main"],
  // How sockets are read is the same for both kinds of listener.
  "node:net": ["http", "smb", "main", "src/base/read-into.ts"],
  "node:tls": ["http", "smb", "main", "src/base/read-into.ts"],
  "node:cluster": ["main"],
};

const isTest = (path: string): boolean => path.endsWith(".test.ts");

/** The layer of a file in src: its folder, or "main" for what lies directly in src. */
export function layerOf(path: string): string | undefined {
  if (!path.startsWith("src/")) return undefined;
  const parts = path.split("/");
  return parts.length === 2 ? "main" : parts[1];
}

const engineOf = (path: string): string | undefined => ENGINES.find((engine) => path.startsWith(engine));

export function checkImports({ sources }: Tree): Finding[] {
  return sources
    .filter(({ path }) => path.startsWith("src/") && !isTest(path))
    .flatMap((source) =>
      source.imports.flatMap((one) => {
        const what =
          one.file === undefined ? packageMisplaced(source, one.from) : importForbidden(source, one.file);
        return what === undefined ? [] : [{ path: source.path, line: one.line, what }];
      }),
    );
}

function importForbidden({ path }: SourceFile, target: string): string | undefined {
  const own = layerOf(path)!;
  const other = layerOf(target);
  if (target === "package.json") return undefined; // every package carries it
  if (other === undefined) return `src must not import ${target}, which is not shipped`;
  if (isTest(target)) return `imports the test ${target}`;
  const engine = engineOf(target);
  if (engine !== undefined && own !== "main" && engineOf(path) !== engine)
    return `imports the engine ${target}; only main names an engine`;
  if (own === other) return undefined;
  const allowed = MAY_IMPORT[own];
  if (allowed === undefined) return `the folder src/${own} is not in the table of layers`;
  if (!allowed.includes(other)) return `${own} must not import ${other} (${target})`;
  if (
    own === "services" &&
    other === "store" &&
    !STORE_FOR_SERVICES.some((place) => target.startsWith(place))
  )
    return `services see only the interface, the keys and the records of the store, not ${target}`;
  return undefined;
}

function packageMisplaced({ path }: SourceFile, from: string): string | undefined {
  const name = from
    .split("/")
    .slice(0, from.startsWith("@") ? 2 : 1)
    .join("/");
  const homes = PACKAGE_HOMES[name];
  if (homes === undefined)
    return name.startsWith("node:") ? undefined : `the package ${name} has no home in the table of packages`;
  const layer = layerOf(path)!;
  if (homes.some((home) => (home.includes("/") ? path.startsWith(home) : home === layer))) return undefined;
  return `${name} belongs to ${homes.join(", ")}`;
}

/** Files in src that neither the program, nor the library, nor any test, benchmark or script reaches. */
export function checkUnused({ sources }: Tree): Finding[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const isRoot = ({ path }: SourceFile): boolean =>
    path === "src/main.ts" || path === "src/library.ts" || isTest(path) || !path.startsWith("src/");
  const reached = new Set<string>();
  const waiting = sources.filter(isRoot);
  for (let source = waiting.pop(); source !== undefined; source = waiting.pop()) {
    if (reached.has(source.path)) continue;
    reached.add(source.path);
    for (const { file } of source.imports) {
      const next = file === undefined ? undefined : byPath.get(file);
      if (next !== undefined) waiting.push(next);
    }
  }
  return sources
    .filter(({ path }) => !reached.has(path))
    .map(({ path }) => ({ path, line: 1, what: "nobody imports this file" }));
}
