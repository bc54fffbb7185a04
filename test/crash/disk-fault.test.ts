import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { suite, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { MIB } from "../../src/base/limits.ts";
import { openEmbeddedIn, temporaryDirectory } from "../contract/store/engines.ts";
import { keysIn } from "../contract/store/kit.ts";
import { bundleScript } from "../support/bundle.ts";
import { seedOfThisRun } from "../support/seed.ts";
import { smallDisk } from "../support/small-disk.ts";
import { fillDisk } from "./full-disk.ts";

async function bundled(t: TestContext, name: string): Promise<{ script: string; root: string }> {
  const root = temporaryDirectory();
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const script = join(root, "child.mjs");
  await bundleScript(fileURLToPath(new URL(`./${name}`, import.meta.url)), script);
  return { script, root };
}

suite("a full disk", () => {
  for (const kind of ["tmpfs", "ext4"] as const) {
    test(`refuses writes, goes on reading, and takes writes again: ${kind}`, async (t) => {
      const disk = smallDisk(kind, 24 * MIB);
      if (typeof disk === "string") return t.skip(disk);
      try {
        const { script } = await bundled(t, "disk-full-child.ts");
        const done = spawnSync(process.execPath, [script, disk.path], { encoding: "utf8", timeout: 60_000 });
        assert.equal(done.status, 0, `${done.signal} ${done.stdout}${done.stderr.slice(-3_000)}`);
        t.diagnostic(done.stdout.trim());
      } finally {
        disk.remove();
      }
    });
  }
});

suite("the whole program on a full disk", () => {
  test("refuses what does not fit, answers reads, deletes, and goes on when there is room", async (t) => {
    const disk = smallDisk("ext4", 48 * MIB);
    if (typeof disk === "string") return t.skip(disk);
    try {
      const { ok, summary } = await fillDisk(disk.path, seedOfThisRun(t));
      t.diagnostic(summary);
      assert.ok(ok, summary);
    } finally {
      disk.remove();
    }
  });
});

suite("a disk that fails", () => {
  for (const [call, when] of [
    ["fdatasync", 30],
    ["pwrite64", 120],
  ] as const) {
    test(`stops the process, which acknowledges nothing more: ${call}`, async (t) => {
      const { script, root } = await bundled(t, "failed-sync-child.ts");
      const directory = join(root, "data");
      const inject = ["-f", "-qq", "-o", join(root, "trace"), "-e", `trace=${call}`];
      const args = [
        ...inject,
        "-e",
        `inject=${call}:error=EIO:when=${when}+`,
        process.execPath,
        script,
        directory,
      ];
      const done = spawnSync("strace", args, { encoding: "utf8", timeout: 60_000 });
      if (done.error !== undefined || !done.stdout.includes("ack ")) {
        return t.skip(`strace cannot make the disk fail: ${done.error?.message ?? done.stderr.trim()}`);
      }
      const lines = done.stdout.trim().split("\n");
      assert.equal(done.status, 3, done.stderr);
      assert.equal(lines.at(-1), "fatal EIO", "the last word of the process");
      const acknowledged = lines.slice(0, -1).map((line) => line.replace(/^ack /, ""));
      assert.ok(acknowledged.every((key) => /^\d+\.\d+$/.test(key)));

      const { store, remove } = await openEmbeddedIn(directory);
      try {
        const kept = new Set(await keysIn(store, { from: "0", to: "9" }));
        for (const key of acknowledged) assert.ok(kept.has(key), `${key} is lost`);
        t.diagnostic(`${acknowledged.length} acknowledged before the failure, 0 lost, 0 after`);
      } finally {
        await remove();
      }
    });
  }
});
