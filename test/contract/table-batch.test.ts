import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { RestError, TableClient, TransactionAction } from "@azure/data-tables";
import { ENGINES, startTestServer, type TestServer } from "../kit/server.ts";
import {
  batchOf,
  batchQuery,
  changeSet,
  createdTable,
  entityPath,
  partsOf,
  send,
  tableClient,
} from "../kit/table.ts";

for (const engine of ENGINES) {
  describe(`entity group transactions, over ${engine}`, () => {
    let server: TestServer;
    let client: TableClient;
    before(async () => {
      server = await startTestServer({ engine });
      client = await createdTable(server, "batches");
    });
    after(() => server.close());

    const rowsOf = async (partitionKey: string): Promise<string[]> => {
      const found: string[] = [];
      const filter = `PartitionKey eq '${partitionKey}'`;
      for await (const entity of client.listEntities({ queryOptions: { filter } })) {
        found.push(`${entity.rowKey}=${entity.v}`);
      }
      return found;
    };

    const failure = async (actions: TransactionAction[], table = client): Promise<RestError> => {
      try {
        await table.submitTransaction(actions);
      } catch (error) {
        return error as RestError;
      }
      throw new Error("the transaction went through");
    };

    test("all kinds of changes go together, with one Timestamp", async () => {
      for (const rowKey of ["replaced", "merged", "deleted", "upserted"]) {
        await client.createEntity({ partitionKey: "mix", rowKey, v: 0, w: 0 });
      }
      const etag = (await client.getEntity("mix", "replaced")).etag;
      const { status, subResponses } = await client.submitTransaction([
        ["create", { partitionKey: "mix", rowKey: "created", v: 1 }],
        ["update", { partitionKey: "mix", rowKey: "replaced", v: 1 }, "Replace", { etag }],
        ["update", { partitionKey: "mix", rowKey: "merged", v: 1 }, "Merge"],
        ["upsert", { partitionKey: "mix", rowKey: "upserted", v: 1 }, "Replace"],
        ["upsert", { partitionKey: "mix", rowKey: "new", v: 1 }, "Merge"],
        ["delete", { partitionKey: "mix", rowKey: "deleted" }],
      ]);
      assert.equal(status, 202);
      assert.deepEqual(
        subResponses.map((part) => part.status),
        [204, 204, 204, 204, 204, 204],
      );
      assert.equal(subResponses[0]!.rowKey, "created");
      assert.deepEqual(await rowsOf("mix"), ["created=1", "merged=1", "new=1", "replaced=1", "upserted=1"]);
      assert.equal((await client.getEntity("mix", "merged")).w, 0);
      assert.equal((await client.getEntity("mix", "upserted")).w, undefined);
      const times = new Set<string | undefined>();
      for (const rowKey of ["created", "merged", "new", "replaced", "upserted"]) {
        const entity = await client.getEntity("mix", rowKey);
        times.add(entity.timestamp);
        assert.equal(entity.etag, subResponses[0]!.etag);
      }
      assert.equal(times.size, 1);
    });

    test("100 changes are taken, and their keys may hold anything", async () => {
      const rows = Array.from({ length: 100 }, (_, i) => `it's (${i}), ü😀 %27`);
      await client.submitTransaction(
        rows.map((rowKey) => ["create", { partitionKey: "it's", rowKey, v: 1 }]),
      );
      const found: string[] = [];
      for await (const entity of client.listEntities({
        queryOptions: { filter: "PartitionKey eq 'it''s'" },
      })) {
        found.push(entity.rowKey!);
      }
      assert.deepEqual(found.sort(), [...rows].sort());
    });

    test("a refused change undoes all, and the error names its position", async () => {
      await client.createEntity({ partitionKey: "fail", rowKey: "there", v: 0 });
      const error = await failure([
        ["create", { partitionKey: "fail", rowKey: "a", v: 1 }],
        ["upsert", { partitionKey: "fail", rowKey: "b", v: 1 }, "Merge"],
        ["create", { partitionKey: "fail", rowKey: "there", v: 1 }],
        ["create", { partitionKey: "fail", rowKey: "c", v: 1 }],
      ]);
      assert.deepEqual([error.statusCode, error.code], [409, "EntityAlreadyExists"]);
      assert.match(error.message, /^2:The specified entity already exists\./);
      assert.deepEqual(await rowsOf("fail"), ["there=0"]);
    });

    test("conditions hold within a transaction", async () => {
      const { etag } = await client.createEntity({ partitionKey: "cond", rowKey: "1", v: 0 });
      await client.updateEntity({ partitionKey: "cond", rowKey: "1", v: 1 }, "Replace");
      const stale = await failure([
        ["create", { partitionKey: "cond", rowKey: "2", v: 1 }],
        ["update", { partitionKey: "cond", rowKey: "1", v: 2 }, "Replace", { etag: etag! }],
      ]);
      assert.deepEqual([stale.statusCode, stale.code], [412, "UpdateConditionNotSatisfied"]);
      assert.match(stale.message, /^1:/);
      const alone = await failure([
        ["update", { partitionKey: "cond", rowKey: "1", v: 2 }, "Replace", { etag: etag! }],
      ]);
      assert.match(alone.message, /^The update condition/);
      const absent = await failure([["delete", { partitionKey: "cond", rowKey: "absent" }]]);
      assert.deepEqual([absent.statusCode, absent.code], [404, "ResourceNotFound"]);
      assert.deepEqual(await rowsOf("cond"), ["1=1"]);
    });

    test("the rules of a transaction are refused with the protocol's codes", async () => {
      const create = (partitionKey: string, rowKey: string): TransactionAction => [
        "create",
        { partitionKey, rowKey, v: 1 },
      ];
      const twice = await failure([create("rules", "a"), create("rules", "a")]);
      assert.deepEqual([twice.statusCode, twice.code], [400, "InvalidDuplicateRow"]);
      assert.match(twice.message, /^1:The batch request contains multiple changes with same row key\./);

      const many = await failure(Array.from({ length: 101 }, (_, i) => create("rules", `r${i}`)));
      assert.deepEqual([many.statusCode, many.code], [400, "InvalidInput"]);
      assert.match(many.message, /^99:The batch request operation exceeds the maximum 100 changes/);

      const missing = await failure([create("rules", "a")], tableClient(server, "absent"));
      assert.deepEqual([missing.statusCode, missing.code], [404, "TableNotFound"]);
      assert.match(missing.message, /^0:The table specified does not exist\./);

      const badName = await failure([create("rules", "a")], tableClient(server, "no-good"));
      assert.deepEqual([badName.statusCode, badName.code], [400, "InvalidResourceName"]);

      const [mixed] = partsOf(
        await send(
          server,
          changeSet(server, [
            { method: "POST", path: "/batches", body: '{"PartitionKey":"rules","RowKey":"a"}' },
            { method: "POST", path: "/batches", body: '{"PartitionKey":"other","RowKey":"a"}' },
          ]),
        ),
      );
      assert.deepEqual([mixed!.status, mixed!.code], [400, "CommandsInBatchActOnDifferentPartitions"]);
      assert.match(mixed!.message!, /^1:/);
      assert.deepEqual(await rowsOf("rules"), []);
    });

    test("an insert may echo its content, and one query may stand alone", async () => {
      const insert = { method: "POST", path: "/batches", body: '{"PartitionKey":"q","RowKey":"1","v":1}' };
      const echoed = await send(
        server,
        changeSet(server, [{ ...insert, headers: { Accept: "application/json;odata=fullmetadata" } }]),
      );
      assert.equal(echoed.status, 202);
      assert.match(echoed.body, /HTTP\/1\.1 201 Created/);
      assert.match(echoed.body, /"odata\.editLink":"batches\(PartitionKey='q',RowKey='1'\)"/);

      const path = entityPath("batches", "q", "1");
      const found = await send(server, batchQuery(server, { method: "GET", path }));
      assert.equal(found.status, 202);
      assert.match(found.body, /HTTP\/1\.1 200 OK/);
      assert.match(found.body, /"v":1\}/);
      assert.doesNotMatch(found.body, /changesetresponse/);
      const listed = await send(
        server,
        batchQuery(server, { method: "GET", path: "/batches()?$filter=v%20eq%201&$top=1" }),
      );
      assert.match(listed.body, /"value":\[\{/);
      const absent = await send(
        server,
        batchQuery(server, { method: "GET", path: entityPath("batches", "q", "absent") }),
      );
      assert.deepEqual([absent.status, partsOf(absent)[0]!.status], [202, 404]);
    });

    test("a batch as Node's former client library writes it is taken", async () => {
      const body = [
        "--batch_1",
        'content-type: multipart/mixed;charset="utf-8";boundary=changeset_2',
        "",
        "--changeset_2",
        "content-type: application/http",
        "content-transfer-encoding: binary",
        "",
        `POST ${server.endpoints.table}/${server.account}/batches HTTP/1.1`,
        "content-type: application/json;type=entry",
        "content-id: 1",
        "",
        '{"PartitionKey":"former","RowKey":"1","v":1}',
        "--changeset_2--",
        "--batch_1--",
      ].join("\n");
      const reply = await send(server, batchOf(body, 'multipart/mixed; charset="utf-8"; boundary=batch_1'));
      assert.equal(reply.status, 202);
      // The id stood among the headers of the request, so it stands among those of the answer.
      assert.match(reply.body, /HTTP\/1\.1 201 Created\r\nContent-ID: 1\r\n/);
      assert.deepEqual(await rowsOf("former"), ["1=1"]);
    });

    test("the address of a change may hold blanks and letters as they are", async () => {
      const body = [
        "--batch_1",
        "Content-Type: multipart/mixed; boundary=changeset_2",
        "",
        "--changeset_2",
        "Content-Type: application/http",
        "Content-Transfer-Encoding: binary",
        "",
        `PUT ${server.endpoints.table}/${server.account}/batches(PartitionKey='spelled',RowKey='zoë 1') HTTP/1.1`,
        "Content-Type: application/json",
        "",
        '{"v":1}',
        "--changeset_2--",
        "--batch_1--",
      ].join("\r\n");
      const reply = await send(server, batchOf(body, "multipart/mixed; boundary=batch_1"));
      assert.match(reply.body, /HTTP\/1\.1 204 No Content/);
      assert.deepEqual(await rowsOf("spelled"), ["zoë 1=1"]);
    });
  });
}
