import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * `npm run deb -- [DIRECTORY]` writes holdfast_VERSION_ARCH.deb there: the npm package with its dependencies
 * below /usr/lib/holdfast, the command, and the systemd unit. It needs dpkg-deb.
 */
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const DEBIAN_ARCHES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };
const UNIT = "lib/systemd/system/holdfast.service";

export function buildDeb(target: string): string {
  const { version, description } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    version: string;
    description: string;
  };
  const arch = DEBIAN_ARCHES[process.arch];
  if (arch === undefined) throw new Error(`there is no Debian package for ${process.arch}`);
  const scratch = mkdtempSync(join(tmpdir(), "holdfast-deb-"));
  try {
    const tree = join(scratch, "tree");
    const home = join(tree, "usr/lib/holdfast");
    for (const folder of [home, ...["DEBIAN", "usr/bin", "etc/default"].map((name) => join(tree, name))])
      mkdirSync(folder, { recursive: true });
    const npm = (cwd: string, ...args: string[]): void => {
      execFileSync("npm", args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
    };
    npm(root, "pack", "--pack-destination", scratch);
    const tarball = readdirSync(scratch).find((name) => name.endsWith(".tgz"))!;
    npm(home, "install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", join(scratch, tarball));
    for (const name of ["package.json", "package-lock.json"]) rmSync(join(home, name), { force: true });
    const program = "node_modules/holdfast/dist/cli/holdfast.js";
    chmodSync(join(home, program), 0o755);
    symlinkSync(join("../lib/holdfast", program), join(tree, "usr/bin/holdfast"));
    cpSync(join(root, "packaging/systemd/holdfast.service"), join(tree, UNIT));
    cpSync(join(root, "packaging/debian/default"), join(tree, "etc/default/holdfast"));
    for (const script of ["postinst", "prerm"]) {
      cpSync(join(root, "packaging/debian", script), join(tree, "DEBIAN", script));
      chmodSync(join(tree, "DEBIAN", script), 0o755);
    }
    writeFileSync(join(tree, "DEBIAN/conffiles"), "/etc/default/holdfast\n");
    writeFileSync(
      join(tree, "DEBIAN/control"),
      [
        "Package: holdfast",
        `Version: ${version}`,
        `Architecture: ${arch}`,
        "Maintainer: Holdfast <holdfast@users.noreply.github.com>",
        "Depends: nodejs (>= 20.18), passwd",
        "Section: net",
        "Priority: optional",
        "Homepage: https://github.com/holdfast-storage/holdfast",
        `Description: ${description}`,
        "",
      ].join("\n"),
    );
    mkdirSync(target, { recursive: true });
    const deb = join(target, `holdfast_${version}_${arch}.deb`);
    // Files belong to root, whoever builds; modes do not depend on a umask.
    execFileSync("chmod", ["-R", "u=rwX,go=rX", tree]);
    execFileSync("dpkg-deb", ["--root-owner-group", "--build", tree, deb], { stdio: "ignore" });
    return deb;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]!).href)
  console.log(buildDeb(resolve(process.argv[2] ?? "dist")));
