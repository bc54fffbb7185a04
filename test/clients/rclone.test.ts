import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startTestServer } from "../kit/server.ts";
import { rcloneTree } from "./rclone.ts";
import { missing } from "./run.ts";

test("rclone syncs a tree of 2,000 files up and down by checksum", {
  skip: missing("rclone") ?? false,
}, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-rclone-"));
  const server = await startTestServer({ engine: "embedded" });
  try {
    t.diagnostic(await rcloneTree(server, directory, { files: 2_000, seed: 1 }));
  } finally {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
