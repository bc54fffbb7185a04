// The door to every npm command. It is plain JavaScript because it runs before anything is installed:
// it brings node_modules and dist up to date, and only then starts what was asked for.
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Only in the published package: there it makes npm install the versions that were tested. */
const SHRINKWRAP = "npm-shrinkwrap.json";
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
process.chdir(root);

function run(command, args, options = {}) {
  const done = spawnSync(command, args, { stdio: "inherit", ...options });
  if (done.error) fail(`cannot run ${command}: ${done.error.message}`);
  return done.status ?? 1;
}

function fail(message) {
  console.error(`holdfast: ${message}`);
  process.exit(1);
}

function must(step, command, args) {
  if (run(command, args) !== 0) fail(`${step} failed`);
}

function newestIn(folder) {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile())
      newest = Math.max(newest, statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs);
  }
  return newest;
}

function install() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 18))
    fail(`Node.js 20.18 or newer is needed, this is ${process.version}`);
  const stamp = "node_modules/.package-lock.json";
  if (existsSync(stamp) && statSync(stamp).mtimeMs >= statSync("package-lock.json").mtimeMs) return;
  // npm ci empties the folder it finds: through a link that would be somebody else's.
  if (existsSync("node_modules") && lstatSync("node_modules").isSymbolicLink()) {
    fail("node_modules is a link and not up to date; run npm ci where it points to");
  }
  // Left by a pack that was cut short, it would outrank package-lock.json.
  rmSync(SHRINKWRAP, { force: true });
  console.error("holdfast: installing packages (npm ci)");
  // Nothing we depend on needs its install script: native code comes prebuilt inside the packages.
  must("npm ci", "npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
}

async function build() {
  const stamp = "dist/.tsbuildinfo";
  const newest = Math.max(
    newestIn("src"),
    statSync("tsconfig.build.json").mtimeMs,
    statSync("package.json").mtimeMs,
  );
  const isBuilt = ["dist/cli/holdfast.js", "dist/library.cjs", stamp].every((file) => existsSync(file));
  if (isBuilt && statSync(stamp).mtimeMs >= newest) return;
  console.error("holdfast: building");
  must("the build", process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"]);
  // The program as one file: the compiler's hundreds of small ones cost every start a quarter of a second.
  // The reader of Parquet files is a process of its own.
  const { buildSync } = await import("esbuild");
  const bundle = {
    bundle: true,
    platform: "node",
    target: "node20",
    packages: "external",
    logLevel: "warning",
  };
  buildSync({
    ...bundle,
    entryPoints: { holdfast: "src/cli/main.ts", "parquet-child": "src/services/blob/query/parquet-child.ts" },
    outdir: "dist/cli",
    format: "esm",
  });
  // One copy for `import` and `require`, so that a program that uses both has one state. Jest needs CommonJS.
  buildSync({
    ...bundle,
    entryPoints: ["src/process/library.ts"],
    outfile: "dist/library.cjs",
    format: "cjs",
    minifyWhitespace: true,
    // Modules that look for files beside them find those of the program.
    define: { "import.meta.url": "besideProgram" },
    banner: {
      js: "const besideProgram=require('node:url').pathToFileURL(__dirname+'/cli/holdfast.js').href;",
    },
  });
  writeFileSync("dist/library.js", 'export { startHoldfast, useHoldfast } from "./library.cjs";\n');
  for (const types of ["library.d.ts", "library.d.cts"])
    copyFileSync("dist/process/library.d.ts", join("dist", types));
}

/** package-lock.json without what only development needs. */
function writeShrinkwrap() {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const { devDependencies, ...own } = lock.packages[""];
  const needed = Object.entries(lock.packages).filter(([path, { dev }]) => path !== "" && dev !== true);
  const packages = { "": own, ...Object.fromEntries(needed) };
  writeFileSync(SHRINKWRAP, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
}

const [task, ...rest] = process.argv.slice(2);
const tsx = (script) => [process.execPath, ["--import", "tsx", script, ...rest]];
install();
switch (task) {
  case "build":
    await build();
    break;
  case "prepack":
    // Before npm gathers the files: a package from a fresh clone would be empty.
    await build();
    writeShrinkwrap();
    break;
  case "postpack":
    rmSync(SHRINKWRAP, { force: true });
    break;
  case "start": {
    await build();
    // A child in our place: the same terminal, the same signals, its exit code.
    const { spawn } = await import("node:child_process");
    const child = spawn(process.execPath, ["dist/cli/holdfast.js", ...rest], { stdio: "inherit" });
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
    // npm signals the shell between us, which ends without passing the signal on.
    const shell = process.ppid;
    const watch = setInterval(() => {
      if (process.ppid === shell) return;
      clearInterval(watch);
      child.kill("SIGTERM");
    }, 200);
    child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
    break;
  }
  case "check":
    must("the type check", process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.json"]);
    must("lint", process.execPath, [
      "node_modules/@biomejs/biome/bin/biome",
      "check",
      "--error-on-warnings",
      ".",
    ]);
    must("tidy", ...tsx("scripts/tidy.ts"));
    break;
  case "deb":
    process.exit(run(...tsx("scripts/deb.ts")));
    break;
  case "docs":
    process.exit(run(...tsx("scripts/docs.ts")));
    break;
  case "test":
    await build();
    process.exit(run(...tsx("scripts/test.ts")));
    break;
  case "bench":
    await build();
    process.exit(run(...tsx("bench/bench.ts")));
    break;
  case "prove":
    await build();
    process.exit(run(...tsx("scripts/prove.ts")));
    break;
  case "recordings":
    await build();
    process.exit(run(...tsx("scripts/recordings.ts")));
    break;
  default:
    fail(`unknown task ${task}`);
}
