import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { startTestServer } from "../kit/server.ts";
import { run } from "./run.ts";

/** The system's own python: Debian's packages of the SDKs are for that one. */
const PYTHON = "/usr/bin/python3";
const NEEDED = "import azure.storage.blob, azure.storage.queue, azure.data.tables";
const hasSdks = spawnSync(PYTHON, ["-c", NEEDED], { timeout: 60_000 }).status === 0;
const reason = "the Azure SDKs of python3 are not installed (Debian's azure-cli brings them)";

test("the Azure SDKs of Python work unchanged", { skip: hasSdks ? false : reason }, async () => {
  const server = await startTestServer({ engine: "embedded", flags: ["--versionLevelImmutability"] });
  try {
    const script = fileURLToPath(new URL("./python.py", import.meta.url));
    const env = { AZURE_STORAGE_CONNECTION_STRING: server.connectionString };
    const { out } = await run(PYTHON, [script], { env });
    assert.deepEqual(out.trim().split("\n"), [
      "blobs done",
      "other_blobs done",
      "queues done",
      "entities done",
    ]);
  } finally {
    await server.close();
  }
});
