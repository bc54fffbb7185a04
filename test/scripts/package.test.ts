import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

/** The package as `npm pack` makes it from a fresh clone: nothing is built yet. */
const repository = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const scratch = mkdtempSync(join(tmpdir(), "holdfast-package-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

interface PackageJson {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
}

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

interface Lock {
  readonly packages: Readonly<Record<string, Locked>>;
}

function read<T>(folder: string, name: string): T {
  return JSON.parse(readFileSync(join(folder, name), "utf8")) as T;
}

function packClone(): { readonly clone: string; readonly unpacked: string } {
  const clone = join(scratch, "clone");
  for (const name of [
    "src",
    "scripts",
    "package.json",
    "package-lock.json",
    ".npmrc",
    "tsconfig.json",
    "tsconfig.build.json",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs",
  ]) {
    // With their times: packages that are older than the lock file would be installed again.
    if (existsSync(join(repository, name)))
      cpSync(join(repository, name), join(clone, name), { recursive: true, preserveTimestamps: true });
  }
  symlinkSync(join(repository, "node_modules"), join(clone, "node_modules"));
  const target = join(scratch, "packed");
  mkdirSync(target);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const packed = spawnSync("npm", ["pack", "--offline", "--pack-destination", target], {
    cwd: clone,
    env,
    encoding: "utf8",
  });
  assert.equal(packed.status, 0, packed.stderr);
  const [tarball, ...more] = readdirSync(target);
  assert.deepEqual(more, []);
  execFileSync("tar", ["-xzf", join(target, tarball!), "-C", target]);
  return { clone, unpacked: join(target, "package") };
}

test("a package that is made from a clone holds the program, its types and exact versions", () => {
  const { clone, unpacked } = packClone();
  const files = readdirSync(unpacked, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(unpacked, join(entry.parentPath, entry.name)));
  assert.deepEqual(files.filter((name) => !name.startsWith("docs/")).sort(), [
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "dist/cli/holdfast.js",
    "dist/cli/parquet-child.js",
    "dist/library.cjs",
    "dist/library.d.cts",
    "dist/library.d.ts",
    "dist/library.js",
    "npm-shrinkwrap.json",
    "package.json",
  ]);
  const links = [...readFileSync(join(unpacked, "README.md"), "utf8").matchAll(/\]\((?!http|#)([^)#]+)/g)];
  assert.ok(links.length > 10);
  for (const [, link] of links) assert.ok(existsSync(join(unpacked, link!)), `README.md links to ${link}`);
  assert.ok(!existsSync(join(clone, "npm-shrinkwrap.json")), "it outranks package-lock.json where it stays");

  const { version, dependencies } = read<PackageJson>(unpacked, "package.json");
  const { packages } = read<Lock>(unpacked, "npm-shrinkwrap.json");
  const lock = read<Lock>(repository, "package-lock.json");
  assert.deepEqual(packages[""]?.dependencies, dependencies);
  assert.equal(packages[""]?.devDependencies, undefined);
  for (const name of Object.keys(dependencies)) {
    const path = `node_modules/${name}`;
    assert.match(packages[path]?.version ?? "none", /^\d+\.\d+\.\d+$/, name);
    assert.equal(packages[path]?.version, lock.packages[path]?.version, name);
  }
  for (const [path, { integrity, resolved, dev }] of Object.entries(packages)) {
    assert.equal(dev, undefined, `${path} is for development`);
    assert.equal(resolved, undefined, `${path} names where it was downloaded`);
    if (path !== "") assert.match(integrity ?? "none", /^sha512-/, path);
  }

  runInProject(unpacked, version);
});

/** The program, `import`, `require` and the types, from an empty project that has the package installed. */
function runInProject(unpacked: string, version: string): void {
  const project = join(scratch, "project");
  const modules = join(project, "node_modules");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  for (const name of readdirSync(join(repository, "node_modules")))
    if (!name.startsWith(".")) symlinkSync(join(repository, "node_modules", name), join(modules, name));
  renameSync(unpacked, join(modules, "holdfast"));
  cpSync(join(repository, "packaging", "azurite"), join(modules, "holdfast-azurite"), { recursive: true });
  for (const name of ["holdfast", "holdfast-azurite"])
    for (const [program, path] of Object.entries(read<PackageJson>(join(modules, name), "package.json").bin))
      symlinkSync(join("..", name, path), join(modules, ".bin", program));
  const env = { ...process.env };
  delete env.NODE_TEST_CONTEXT;
  const run = (command: string, ...args: string[]): string =>
    execFileSync(command, args, { cwd: project, env, encoding: "utf8", timeout: 60_000 });

  assert.equal(run("npx", "--offline", "holdfast", "--version").trim(), version);
  for (const program of ["azurite", "azurite-blob", "azurite-queue", "azurite-table"])
    assert.equal(run(join(modules, ".bin", program), "--version").trim(), version);

  const use = `const holdfast = await startHoldfast();
    const reply = await fetch(holdfast.endpoints.blob + "?comp=list");
    console.log(reply.headers.get("server") !== null, typeof holdfast.reset);
    await holdfast.close();`;
  writeFileSync(join(project, "esm.mjs"), `import { startHoldfast } from "holdfast"; ${use}`);
  writeFileSync(
    join(project, "cjs.cjs"),
    `const { startHoldfast } = require("holdfast"); (async () => { ${use} })();`,
  );
  for (const script of ["esm.mjs", "cjs.cjs"])
    assert.equal(run(process.execPath, script), "true function\n", script);

  const guide = readFileSync(join(repository, "docs", "guides", "testing.md"), "utf8");
  const snippets = new Map(
    [...guide.matchAll(/^```js\n\/\/ (\S+)\n(.*?)^```$/gms)].map(([, name, code]) => [name!, code!]),
  );
  assert.deepEqual([...snippets.keys()], ["start.mjs", "node.test.mjs", "vitest.test.mjs", "jest.test.cjs"]);
  for (const name of ["start.mjs", "node.test.mjs"]) {
    writeFileSync(join(project, name), snippets.get(name)!);
    run(process.execPath, name);
  }

  const typed = `import { startHoldfast, useHoldfast, type Holdfast } from "holdfast";
    import * as runner from "node:test";
    export const holdfast: Holdfast = useHoldfast(runner, { keepData: true });
    export const blob: Promise<string> = startHoldfast({ unref: true }).then(({ endpoints }) => endpoints.blob);
    // @ts-expect-error: there is no such option
    void startHoldfast({ nonsense: true });`;
  for (const name of ["esm.mts", "cjs.cts"]) writeFileSync(join(project, name), typed);
  run(
    process.execPath,
    join(modules, "typescript", "bin", "tsc"),
    ...["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "--types", "node"],
    ...["esm.mts", "cjs.cts"],
  );
}

test("holdfast-azurite has the version of holdfast and needs exactly it", () => {
  const { version, repository: place } = read<PackageJson & { repository: { url: string } }>(
    repository,
    "package.json",
  );
  const azurite = read<PackageJson & { repository: { url: string } }>(
    join(repository, "packaging", "azurite"),
    "package.json",
  );
  assert.equal(azurite.version, version);
  assert.deepEqual(azurite.dependencies, { holdfast: version });
  assert.equal(azurite.repository.url, place.url);
  for (const path of Object.values(azurite.bin))
    assert.ok(existsSync(join(repository, "packaging", "azurite", path)), path);
});

test("packages whose internals are used are pinned", () => {
  const { dependencies } = read<PackageJson>(repository, "package.json");
  const lock = read<Lock>(repository, "package-lock.json");
  assert.deepEqual(lock.packages[""]?.dependencies, dependencies);
  for (const name of ["lmdb", "msgpackr"]) {
    assert.match(dependencies[name]!, /^\d+\.\d+\.\d+$/, name);
    assert.equal(lock.packages[`node_modules/${name}`]?.version, dependencies[name]);
  }
});
