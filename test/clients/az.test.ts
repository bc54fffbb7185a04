import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { startTestServer, type TestServer } from "../kit/server.ts";
import { azStorageQueue } from "./az-queue.ts";
import { azStorageTable } from "./az-table.ts";
import { missing } from "./run.ts";

/** Debian's Azure CLI against queues and tables; `npm run prove -- --only blob-clients` has the blobs. */
suite("the Azure CLI", { skip: missing("az") ?? false }, () => {
  let server: TestServer;
  let directory: string;
  before(async () => {
    server = await startTestServer({ engine: "embedded" });
    directory = mkdtempSync(join(tmpdir(), "holdfast-az-"));
  });
  after(async () => {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  });

  test("az storage queue and message", async (t) => {
    t.diagnostic(await azStorageQueue(server, join(directory, "queue"), () => {}));
  });

  test("az storage table and entity", async (t) => {
    t.diagnostic(await azStorageTable(server, join(directory, "table"), () => {}));
  });
});
