import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

/** The package as `npm pack` makes it from a fresh clone: nothing is built yet. */
const repository = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const scratch = mkdtempSync(join(tmpdir(), "holdfast-package-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

interface PackageJson {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
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
  for (const name of [
    "dist/cli/holdfast.js",
    "dist/process/library.js",
    "dist/process/library.d.ts",
    "README.md",
    "LICENSE",
  ])
    assert.ok(existsSync(join(unpacked, name)), `${name} is missing`);
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

  symlinkSync(join(repository, "node_modules"), join(unpacked, "node_modules"));
  const printed = execFileSync(process.execPath, [join(unpacked, "dist/cli/holdfast.js"), "--version"]);
  assert.equal(printed.toString().trim(), version);
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
