import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { suite, test } from "node:test";
import { BlobServiceClient } from "@azure/storage-blob";
import { QueueServiceClient } from "@azure/storage-queue";
import { type RawRequest, send } from "../kit/send.ts";
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

    test("a request without a version is taken for one of the blob service's default version", async () => {
      const server = await startTestServer({ engine });
      try {
        const blobs = BlobServiceClient.fromConnectionString(server.connectionString);
        const container = blobs.getContainerClient("private");
        await container.create();
        const ask = async (more: Partial<RawRequest> = {}) => {
          const request = { service: "blob", method: "GET", path: "/private/b", isAnonymous: true } as const;
          const { status, code, headers } = await send(server, { ...request, ...more });
          return [status, code, headers["x-ms-version"]];
        };
        assert.deepEqual(await ask(), [404, "ResourceNotFound", undefined]);
        await blobs.setProperties({ defaultServiceVersion: "2021-06-08" });
        assert.deepEqual(await ask(), [401, "NoAuthenticationInformation", "2021-06-08"]);
        const named = { "x-ms-version": "2015-02-21" };
        assert.deepEqual(await ask({ headers: named }), [404, "ResourceNotFound", "2015-02-21"]);
        await blobs.setProperties({ defaultServiceVersion: "2014-02-14" });
        assert.deepEqual(await ask(), [404, "ResourceNotFound", "2014-02-14"]);
        const queues = QueueServiceClient.fromConnectionString(server.connectionString);
        await queues.createQueue("queue");
        const ofQueue = await ask({ service: "queue", path: "/queue", query: { comp: "metadata" } });
        assert.deepEqual(ofQueue, [404, "ResourceNotFound", undefined]);

        // Signatures made for that version hold, as the length of an empty body shows.
        const date = new Date(server.clock.now()).toUTCString();
        const text = `PUT\n\n\n0\n\n\n${date}\n\n\n\n\n\nx-ms-blob-type:BlockBlob\n/${server.account}/${server.account}/private/b`;
        const mac = createHmac("sha256", Buffer.from(server.key, "base64")).update(text).digest("base64");
        const signed = {
          Date: date,
          "Content-Length": "0",
          "x-ms-blob-type": "BlockBlob",
          Authorization: `SharedKey ${server.account}:${mac}`,
        };
        assert.deepEqual(await ask({ method: "PUT", headers: signed }), [201, undefined, "2014-02-14"]);
      } finally {
        await server.close();
      }
    });
  });
}
