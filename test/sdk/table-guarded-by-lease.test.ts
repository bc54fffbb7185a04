import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { BlobServiceClient, type BlockBlobClient } from "@azure/storage-blob";
import { whileGuarded } from "../../docs/examples/guard-a-table.ts";
import { ENGINES, startTestServer, type TestServer } from "../kit/server.ts";
import { createdTable } from "../kit/table.ts";

test("the page about tables shows the example as it is run here", () => {
  const page = readFileSync("docs/guides/table.md", "utf8");
  assert.ok(page.includes(readFileSync("docs/examples/guard-a-table.ts", "utf8").trim()));
});

for (const engine of ENGINES) {
  describe(`a table guarded by a blob lease, over ${engine}`, () => {
    let server: TestServer;
    let guard: BlockBlobClient;
    before(async () => {
      server = await startTestServer({ engine });
      const container = BlobServiceClient.fromConnectionString(server.connectionString, {
        retryOptions: { maxTries: 1 },
      }).getContainerClient("guards");
      await container.create();
      guard = container.getBlockBlobClient("accounts");
    });
    after(() => server.close());

    test("writers that check nothing lose nothing, because one of them works at a time", async () => {
      const table = await createdTable(server, "accounts");
      await table.createEntity({ partitionKey: "p", rowKey: "balance", amount: 0 });
      let working = 0;
      const deposit = (): Promise<void> =>
        whileGuarded(guard, async () => {
          assert.equal(++working, 1);
          const { amount } = await table.getEntity<{ amount: number }>("p", "balance");
          await table.upsertEntity({ partitionKey: "p", rowKey: "balance", amount: amount + 1 }, "Replace");
          working--;
        });
      await Promise.all(
        Array.from({ length: 6 }, async () => {
          for (let i = 0; i < 3; i++) await deposit();
        }),
      );
      assert.equal((await table.getEntity("p", "balance")).amount, 18);
    });

    test("a holder that died is replaced when its lease has run out", async () => {
      await guard.getBlobLeaseClient().acquireLease(15);
      let isDone = false;
      const waiting = whileGuarded(guard, async () => {
        isDone = true;
      });
      await pause(100);
      assert.equal(isDone, false);
      server.clock.advance(15_000);
      await waiting;
      assert.equal(isDone, true);
    });
  });
}
