import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { monotonic } from "../../src/base/clock.ts";
import { must, REPOSITORY } from "../support/debian-rootfs.ts";
import type { Proof } from "../support/proof.ts";
import { smoke } from "../support/smoke.ts";

const FREE = ["blob", "queue", "table", "file", "smb", "admin"].flatMap((name) => [`--${name}Port`, "0"]);
const SNIPPET = /^```js\n\/\/ (\S+)\n(.*?)^```$/gms;

/** The tarball in an empty project, with packages from the registry. */
export const proof: Proof = {
  name: "install-npm",
  what: "the npm package serves by npx, and its helpers work in node:test, Vitest and Jest",
  minutes: 3,
  async run({ directory, progress }) {
    const project = join(directory, "project");
    mkdirSync(project);
    progress("npm install");
    must("npm", ["pack", "--pack-destination", directory], REPOSITORY);
    const tarball = readdirSync(directory).find((name) => name.endsWith(".tgz"))!;
    writeFileSync(join(project, "package.json"), '{ "private": true }\n');
    const packages = ["@azure/storage-blob", "vitest", "jest"];
    must("npm", ["install", "--no-audit", "--no-fund", join(directory, tarball), ...packages], project);
    const lmdb = JSON.parse(must("npm", ["ls", "--json", "lmdb"], project)) as {
      dependencies: { holdfast: { dependencies: { lmdb: { version: string } } } };
    };
    const tested = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")) as {
      dependencies: { lmdb: string };
    };
    assert.equal(lmdb.dependencies.holdfast.dependencies.lmdb.version, tested.dependencies.lmdb);

    progress("npx holdfast");
    const began = monotonic();
    const args = ["--no-install", "holdfast", "--location", "data", "--ready", "json", ...FREE];
    const server: ChildProcess = spawn("npx", args, {
      cwd: project,
      stdio: ["ignore", "pipe", "inherit"],
      detached: true,
    });
    try {
      const [line] = (await once(server.stdout!, "data")) as [Buffer];
      const seconds = ((monotonic() - began) / 1_000).toFixed(1);
      await smoke((JSON.parse(line.toString()) as { connectionString: string }).connectionString);

      progress("test runners");
      const guide = readFileSync(join(REPOSITORY, "docs/guides/testing.md"), "utf8");
      for (const [, name, code] of guide.matchAll(SNIPPET)) writeFileSync(join(project, name!), code!);
      for (const command of [
        ["node", "start.mjs"],
        ["node", "--test", "node.test.mjs"],
        ["npx", "vitest", "run", "vitest.test.mjs"],
        ["npx", "jest", "--testMatch", "**/jest.test.cjs"],
      ])
        must(command[0]!, command.slice(1), project);
      return { ok: true, summary: `serves ${seconds} s after npx; node:test, Vitest and Jest pass` };
    } finally {
      // The group: npx and the server.
      process.kill(-server.pid!, "SIGKILL");
    }
  },
};
