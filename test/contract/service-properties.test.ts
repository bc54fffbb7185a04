import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { BlobServiceClient } from "@azure/storage-blob";
import { QueueServiceClient } from "@azure/storage-queue";
import { ENGINES, startTestServer } from "../kit/server.ts";

for (const engine of ENGINES) {
  suite(`service properties on ${engine}`, () => {
    test("a rule set by one client is read by another, and what was left out is kept", async () => {
      const server = await startTestServer({ engine });
      try {
        const queues = QueueServiceClient.fromConnectionString(server.connectionString);
        const cors = {
          allowedOrigins: "https://example.org",
          allowedMethods: "GET",
          allowedHeaders: "",
          exposedHeaders: "",
          maxAgeInSeconds: 60,
        };
        await queues.setProperties({ cors: [cors] });
        await queues.setProperties({
          hourMetrics: {
            version: "1.0",
            enabled: true,
            includeAPIs: false,
            retentionPolicy: { enabled: true, days: 3 },
          },
        });
        const found = await QueueServiceClient.fromConnectionString(server.connectionString).getProperties();
        assert.equal(found.cors?.[0]?.allowedOrigins, "https://example.org");
        assert.equal(found.hourMetrics?.retentionPolicy?.days, 3);
        assert.match(found.requestId ?? "", /^[0-9a-f-]{36}$/);
      } finally {
        await server.close();
      }
    });

    test("services of one account keep their properties apart", async () => {
      const server = await startTestServer({ engine });
      try {
        const blobs = BlobServiceClient.fromConnectionString(server.connectionString);
        await blobs.setProperties({ deleteRetentionPolicy: { enabled: true, days: 5 } });
        assert.equal((await blobs.getProperties()).deleteRetentionPolicy?.days, 5);
        const queues = QueueServiceClient.fromConnectionString(server.connectionString);
        assert.equal((await queues.getProperties()).cors?.length ?? 0, 0);
      } finally {
        await server.close();
      }
    });
  });
}
