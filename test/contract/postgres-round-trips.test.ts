import assert from "node:assert/strict";
import { test } from "node:test";
import { BlobServiceClient } from "@azure/storage-blob";
import { QueueServiceClient } from "@azure/storage-queue";
import { monotonic } from "../../src/base/clock.ts";
import { LIMITS } from "../../src/base/limits.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { startTestServer } from "../kit/server.ts";

/**
 * How often a member asks its database for one request of one client. `npm run bench -- --postgres` prints
 * the same for one and two members under load, where requests share their round trips.
 */
const TIMES = 60;
/** Until a container is long known: before that it is looked up by itself. */
const WARMED = 8;
/** Of heartbeats and of background jobs that look for work, in the time it took. */
const ELSE_PER_BEAT = 3;

test("a small GET is one round trip to the database, a small PUT at most three", async () => {
  const server = await startTestServer({ engine: "postgres" });
  try {
    const engine = server.runtime.engine as PostgresStore;
    assert.ok(engine instanceof PostgresStore);
    const options = { retryOptions: { maxTries: 1 } };
    const container = BlobServiceClient.fromConnectionString(
      server.connectionString,
      options,
    ).getContainerClient("trips");
    const queue = QueueServiceClient.fromConnectionString(server.connectionString, options).getQueueClient(
      "trips",
    );
    await container.create();
    await queue.create();
    const blob = container.getBlockBlobClient("b");
    const perRequest = async (send: () => Promise<unknown>): Promise<number> => {
      for (let i = 0; i < WARMED; i++) await send();
      const [start, before] = [monotonic(), engine.stats().roundTrips!];
      for (let i = 0; i < TIMES; i++) await send();
      const beats = Math.ceil((monotonic() - start) / LIMITS.heartbeatMillis) + 1;
      return (engine.stats().roundTrips! - before - beats * ELSE_PER_BEAT) / TIMES;
    };
    const body = Buffer.alloc(1_024, 0x61);
    const put = await perRequest(() => blob.upload(body, body.length));
    const get = await perRequest(() => blob.downloadToBuffer(0, body.length));
    const message = await perRequest(() => queue.sendMessage("text"));
    assert.ok(put > 1 && put <= 3, `${put} round trips for a PUT`);
    assert.ok(get > 0.5 && get <= 1, `${get} round trips for a GET`);
    assert.ok(message > 1 && message <= 3, `${message} round trips for a message`);
  } finally {
    await server.close();
  }
});
