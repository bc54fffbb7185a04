import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { BlobServiceClient } from "@azure/storage-blob";
import { ShareServiceClient } from "@azure/storage-file-share";
import { ENGINES, startTestServer } from "../kit/server.ts";
import { smoke } from "../support/smoke.ts";

async function count(items: AsyncIterable<unknown>): Promise<number> {
  let found = 0;
  for await (const _ of items) found++;
  return found;
}

suite("reset", () => {
  for (const engine of [...ENGINES, "postgres"] as const)
    test(`leases, soft delete and retention hold nothing back: ${engine}`, async () => {
      const server = await startTestServer({ engine, flags: ["--shareRetentionDays", "7"] });
      const blobs = BlobServiceClient.fromConnectionString(server.connectionString);
      const shares = ShareServiceClient.fromConnectionString(server.connectionString);
      await blobs.setProperties({ deleteRetentionPolicy: { enabled: true, days: 7 } });
      for (let i = 0; i < 105; i++) await blobs.createContainer(`more-${i}`);
      await blobs.getContainerClient("more-0").delete();
      await blobs.getContainerClient("more-1").getBlobLeaseClient().acquireLease(-1);
      await shares.createShare("deleted");
      await shares.deleteShare("deleted");
      await smoke(server.connectionString);

      await server.server.reset();

      assert.equal(await count(blobs.listContainers({ includeDeleted: true })), 0);
      assert.equal(await count(shares.listShares({ includeDeleted: true })), 0);
      assert.equal((await blobs.getProperties()).deleteRetentionPolicy?.enabled, false);
      await smoke(server.connectionString);
      await server.close();
    });
});
