import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Refusal } from "../../src/base/refusals.ts";
import { changeEntity } from "../../src/services/table/change-entity.ts";
import { createTable } from "../../src/services/table/create-table.ts";
import { getEntity } from "../../src/services/table/query-entities.ts";
import { ENGINES, startTestServer, type TestServer } from "../kit/server.ts";
import { createdTable, entityPath, send } from "../kit/table.ts";
import { readersSeeWholeBatches } from "../support/table-readers.ts";

for (const engine of ENGINES) {
  describe(`many writers of one table, over ${engine}`, () => {
    // Round trips make each try slow; several members are counted on by the proof `postgres-members`.
    const isFar = engine === "postgres";
    let server: TestServer;
    before(async () => {
      server = await startTestServer({ engine });
    });
    after(() => server.close());

    test("32 clients that increment one entity with If-Match lose nothing", async () => {
      const table = await createdTable(server, "counter");
      await table.createEntity({ partitionKey: "p", rowKey: "n", count: 0 });
      const path = entityPath("counter", "p", "n");
      const timesEach = isFar ? 4 : 5;
      let refusals = 0;
      const client = async (): Promise<void> => {
        for (let done = 0; done < timesEach; ) {
          const read = await send(server, { path });
          const body = JSON.stringify({ count: read.json.count + 1 });
          const headers = { "If-Match": read.headers.etag! };
          const written = await send(server, { method: "PUT", path, body, headers });
          if (written.status === 204) done++;
          else {
            assert.deepEqual([written.status, written.code], [412, "UpdateConditionNotSatisfied"]);
            refusals++;
          }
        }
      };
      await Promise.all(Array.from({ length: 32 }, client));
      assert.equal((await table.getEntity("p", "n")).count, 32 * timesEach);
      assert.ok(refusals > 0, "the clients never met");
    });

    test("of many inserts of one entity, one wins", async () => {
      const table = await createdTable(server, "race");
      const body = (n: number): string => `{"PartitionKey":"p","RowKey":"r","n":${n}}`;
      const replies = await Promise.all(
        Array.from({ length: 40 }, (_, n) => send(server, { method: "POST", path: "/race", body: body(n) })),
      );
      assert.equal(replies.filter(({ status }) => status === 201).length, 1);
      assert.equal(replies.filter(({ code }) => code === "EntityAlreadyExists").length, 39);
      const winner = replies.findIndex(({ status }) => status === 201);
      assert.equal((await table.getEntity("p", "r")).n, winner);
    });

    test("readers of a partition see a batch whole or not at all", async () => {
      const { broken, batches, batchesSeen } = await readersSeeWholeBatches(server.runtime.parts.store, {
        reads: isFar ? 1_500 : 2_500,
      });
      assert.equal(broken, undefined);
      assert.ok(batches > 5 && batchesSeen > 5, `${batches} batches, ${batchesSeen} of them seen`);
    });

    test("a write acknowledged by one service is seen by another, and refused conditions change nothing", async () => {
      const ref = { account: "services", table: "shared" };
      const one = { store: server.runtime.parts.store };
      const other = { store: server.runtime.parts.store };
      await createTable(one, ref);
      const keys = { partitionKey: "p", rowKey: "r" };
      const properties = [{ name: "v", type: "Int64", value: 2n ** 60n } as const];
      const { revision } = await changeEntity(one, ref, { kind: "insert", ...keys, properties });
      const found = await getEntity(other, ref, keys);
      assert.deepEqual(found.entity, { ...keys, revision, properties, isPlain: false });
      const stale = { kind: "replace", ifMatch: revision - 1n, ...keys, properties: [] } as const;
      await assert.rejects(changeEntity(other, ref, stale), (error: unknown) => {
        assert.ok(error instanceof Refusal);
        assert.equal(error.code, "UpdateConditionNotSatisfied");
        return true;
      });
      assert.deepEqual((await getEntity(one, ref, keys)).entity.properties, properties);
    });
  });
}
