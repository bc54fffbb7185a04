import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { buildDeb } from "../../scripts/deb.ts";
import { monotonic } from "../../src/base/clock.ts";
import { DEBOOTSTRAP, makeRootfs, missingFor, must } from "../support/debian-rootfs.ts";
import type { Proof } from "../support/proof.ts";
import { smoke } from "../support/smoke.ts";

/** The Debian package in a fresh Debian, with the Node.js of this machine. */
export const proof: Proof = {
  name: "install-deb",
  what: "the Debian package installs, serves as its own user, and removes itself",
  minutes: 4,
  async run({ directory, progress }) {
    const missing = missingFor([DEBOOTSTRAP, { program: "dpkg-deb", pack: "dpkg", why: "builds it" }]);
    if (missing !== undefined) return missing;
    const rootfs = join(directory, "rootfs");
    progress("the package");
    const deb = buildDeb(directory);
    const node = packNode(directory);
    progress("a Debian");
    makeRootfs(rootfs);
    const inside = (...command: string[]): string => must("chroot", [rootfs, ...command]);
    for (const path of [deb, node]) cpSync(path, join(rootfs, "root", basename(path)));
    must("mount", ["-t", "proc", "proc", join(rootfs, "proc")]);
    try {
      progress("installing");
      inside("apt-get", "update");
      const names = readdirSync(join(rootfs, "root")).filter((name) => name.endsWith(".deb"));
      inside("apt-get", "install", "-y", "--no-install-recommends", ...names.map((name) => `/root/${name}`));
      assert.match(inside("cat", "/lib/systemd/system/holdfast.service"), /ExecStart=\/usr\/bin\/holdfast /);
      assert.equal(inside("stat", "-c", "%U %a", "/var/lib/holdfast").trim(), "holdfast 700");

      const free = ["blob", "queue", "table", "file", "smb", "admin"].flatMap((name) => [
        `--${name}Port`,
        "0",
      ]);
      const flags = ["--location", "/var/lib/holdfast", "--ready", "json", ...free];
      const began = monotonic();
      const server = spawn(
        "chroot",
        ["--userspec=holdfast:holdfast", rootfs, "/usr/bin/holdfast", ...flags],
        {
          stdio: ["ignore", "pipe", "inherit"],
        },
      );
      const [line] = (await Promise.race([
        once(server.stdout, "data"),
        once(server, "exit").then(([code]) => Promise.reject(new Error(`ended with ${code}`))),
      ])) as [Buffer];
      const seconds = ((monotonic() - began) / 1_000).toFixed(1);
      await smoke((JSON.parse(line.toString()) as { connectionString: string }).connectionString);
      const ended = once(server, "exit");
      server.kill("SIGTERM");
      assert.equal((await ended)[0], 0);
      inside("apt-get", "purge", "-y", "holdfast");
      assert.throws(() => inside("test", "-e", "/usr/bin/holdfast"));
      // Data outlives its program.
      inside("test", "-e", "/var/lib/holdfast/holdfast.json");
      return { ok: true, summary: `serves ${seconds} s after its start as the user holdfast` };
    } finally {
      must("umount", [join(rootfs, "proc")]);
      rmSync(rootfs, { recursive: true, force: true });
    }
  },
};

/** Node.js as this machine has it, as the package that ours needs: Debian's own is older. */
function packNode(directory: string): string {
  const tree = join(directory, "node");
  mkdirSync(join(tree, "DEBIAN"), { recursive: true });
  mkdirSync(join(tree, "usr/bin"), { recursive: true });
  cpSync(process.execPath, join(tree, "usr/bin/node"), { dereference: true });
  const version = process.versions.node;
  const fields = ["Package: nodejs", `Version: ${version}`, "Architecture: all", "Depends: libstdc++6"];
  const about = ["Maintainer: Holdfast <holdfast@users.noreply.github.com>", "Description: Node.js", ""];
  writeFileSync(join(tree, "DEBIAN/control"), [...fields, ...about].join("\n"));
  const deb = join(directory, "nodejs.deb");
  must("dpkg-deb", ["--root-owner-group", "--build", tree, deb]);
  return deb;
}
