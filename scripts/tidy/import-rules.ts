import type { Finding, SourceFile, Tree } from "./tree.ts";

/** Each layer may import those below it: cli, process, http and smb, services, ..., base. */
const LOWEST = ["base", "digest", "memory", "observability"] as const;
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  digest: ["base", "memory"],
  memory: ["base"],
  observability: ["base"],
  concurrency: ["base"],
  extents: LOWEST,
  store: LOWEST,
  services: [...LOWEST, "concurrency", "store", "extents"],
  http: [...LOWEST, "concurrency", "services"],
  smb: [...LOWEST, "concurrency", "services"],
  process: [...LOWEST, "concurrency", "extents", "store", "services", "http", "smb"],
  cli: [...LOWEST, "concurrency", "extents", "store", "services", "http", "smb", "process"],
};

/** Only these layers name an engine: nothing else above the store can tell which one runs. */
const KNOWS_ENGINES = ["process", "cli"];
const ENGINES = ["src/store/memory/", "src/store/embedded/", "src/store/postgres/"];

/** What a service may see of the store: the interface, the key layouts and the record formats. */
const STORE_FOR_SERVICES = ["src/store/kv.ts", "src/store/keys/", "src/store/records/"];

/**
 * A package stays in one place, so that replacing it is one piece of work. Layers stand for their folders.
 */
const PACKAGE_HOMES: Readonly<Record<string, readonly string[]>> = {
  lmdb: ["src/store/embedded/"],
  pg: ["src/store/postgres/"],
  postgres: ["src/store/postgres/"],
  msgpackr: ["src/store/records/"],
  "apache-arrow": ["src/services/blob/query/"],
  hyparquet: ["src/services/blob/query/"],
  "hyparquet-compressors": ["src/services/blob/query/"],
  pino: ["src/observability/"],
  "prom-client": ["src/observability/"],
  yaml: ["src/process/seed-file.ts"],
  commander: ["src/process/options.ts", "src/process/options-flags.ts"],
  "node:http": ["http", "smb", "process", "cli"],
  "node:https": ["http", "smb", "process", "cli"],
  // How sockets are read is the same for both kinds of listener.
  "node:net": ["http", "smb", "process", "cli", "src/memory/read-into.ts"],
  "node:tls": ["http", "smb", "process", "cli", "src/memory/read-into.ts"],
  "node:cluster": ["process", "cli"],
};

const isTest = (path: string): boolean => path.endsWith(".test.ts");

/** The layer of a file in src is its folder. */
export function layerOf(path: string): string | undefined {
  if (!path.startsWith("src/")) return undefined;
  return path.split("/")[1];
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
  if (engine !== undefined && !KNOWS_ENGINES.includes(own) && engineOf(path) !== engine)
    return `imports the engine ${target}; only process and cli name an engine`;
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
    path === "src/cli/main.ts" ||
    path === "src/process/library.ts" ||
    isTest(path) ||
    !path.startsWith("src/");
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
