import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { azFileTree } from "../clients/az-file.ts";
import { missing } from "../clients/run.ts";
import { startTestServer } from "../kit/server.ts";

/**
 * Five commands, each of them a process of Python; `npm run prove -- --only blob-clients` runs the others.
 */
test("the Azure CLI sends a tree of files, copies one and fetches all", {
  skip: missing("az") ?? false,
}, async (t) => {
  const server = await startTestServer({ engine: "embedded" });
  const directory = mkdtempSync(join(tmpdir(), "holdfast-cli-"));
  try {
    t.diagnostic(await azFileTree(server, directory, { files: 40, progress: () => {} }));
  } finally {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
