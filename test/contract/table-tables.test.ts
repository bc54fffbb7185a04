import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  AzureSASCredential,
  generateAccountSas,
  generateTableSas,
  TableClient,
  type TableSasSignatureValues,
} from "@azure/data-tables";
import { ENGINES, startTestServer, type TestServer } from "../kit/server.ts";
import {
  batchQuery,
  changeSet,
  createdTable,
  credential,
  entityPath,
  partsOf,
  send,
  serviceClient,
  tableClient,
} from "../kit/table.ts";

for (const engine of ENGINES) {
  describe(`tables, their policies and what SAS reach, over ${engine}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer({ engine });
    });
    after(() => server.close());

    const expiresOn = (): Date => new Date(server.clock.now() + 3_600_000);
    const withSas = (table: string, values: TableSasSignatureValues): TableClient => {
      const sas = generateTableSas(table, credential(server), values);
      const url = `${server.endpoints.table}/${server.account}`;
      return new TableClient(url, table, new AzureSASCredential(sas), { allowInsecureConnection: true });
    };
    const statusOf = async (work: Promise<unknown>): Promise<number> => {
      try {
        await work;
        return 200;
      } catch (error) {
        return (error as { statusCode?: number }).statusCode ?? 0;
      }
    };

    test("tables are created, listed by page and filter, and deleted", async () => {
      const service = serviceClient(server);
      for (const name of ["listB", "ListA", "listC", "other"]) await service.createTable(name);
      const names: string[] = [];
      for await (const { name } of service.listTables()) names.push(name!);
      assert.deepEqual(names, ["ListA", "listB", "listC", "other"]);

      const some: string[] = [];
      const filter = "TableName ge 'listB' and TableName lt 'lisu'";
      for await (const { name } of service.listTables({ queryOptions: { filter } })) some.push(name!);
      assert.deepEqual(some, ["listB", "listC"]);

      const first = await send(server, { path: "/Tables", query: "$top=3" });
      assert.equal(first.json.value.length, 3);
      const next = first.headers["x-ms-continuation-nexttablename"];
      const rest = await send(server, { path: "/Tables", query: `$top=3&NextTableName=${next}` });
      assert.deepEqual(rest.json.value, [{ TableName: "other" }]);
      assert.equal(rest.headers["x-ms-continuation-nexttablename"], undefined);

      const none = await send(server, { path: "/Tables", query: "$top=0" });
      assert.deepEqual([none.json.value, none.headers["x-ms-continuation-nexttablename"]], [[], undefined]);

      await service.deleteTable("OTHER");
      assert.equal((await send(server, { path: "/Tables('other')" })).code, "ResourceNotFound");
    });

    test("creating says what it made, or nothing when asked to be brief", async () => {
      const base = `${server.endpoints.table}/${server.account}`;
      const full = await send(server, {
        method: "POST",
        path: "/Tables",
        body: '{"TableName":"Echo"}',
        headers: { Accept: "application/json;odata=fullmetadata" },
      });
      assert.equal(full.status, 201);
      assert.deepEqual(full.json, {
        "odata.metadata": `${base}/$metadata#Tables/@Element`,
        "odata.type": `${server.account}.Tables`,
        "odata.id": `${base}/Tables('Echo')`,
        "odata.editLink": "Tables('Echo')",
        TableName: "Echo",
      });
      const brief = await send(server, {
        method: "POST",
        path: "/Tables",
        body: '{"TableName":"Brief"}',
        headers: { Prefer: "return-no-content" },
      });
      assert.deepEqual([brief.status, brief.body], [204, ""]);
      assert.equal(brief.headers["preference-applied"], "return-no-content");
      assert.equal(brief.headers.location, `${base}/Tables('Brief')`);
      const asked = await send(server, {
        method: "POST",
        path: "/Tables",
        body: '{"TableName":"Asked"}',
        headers: { Prefer: "return-content" },
      });
      assert.deepEqual([asked.status, asked.headers["preference-applied"]], [201, "return-content"]);
    });

    test("a table of the same name starts empty at once, and the old entities are reclaimed", async () => {
      const client = await createdTable(server, "again");
      for (let i = 0; i < 12; i++) {
        await client.submitTransaction(
          Array.from({ length: 100 }, (_, row) => ["create", { partitionKey: `p${i}`, rowKey: `${row}` }]),
        );
      }
      await client.deleteTable();
      assert.equal(await statusOf(client.getEntity("p1", "1")), 404);
      await client.createTable();
      for await (const _ of client.listEntities()) assert.fail("an entity of the table that was deleted");

      const { tables } = await jobs(server);
      let steps = 0;
      while ((await tables.run()) === "more") steps++;
      assert.ok(steps >= 3, `reclaimed in ${steps} steps`);
      const left = await server.runtime.parts.store.read(async (read) => {
        let count = 0;
        for await (const _ of read.range({ from: "td", to: "tf" })) count++;
        return count;
      });
      assert.equal(left, 0);
    });

    test("policies are kept, replaced as a whole, and cleared", async () => {
      const client = await createdTable(server, "policies");
      assert.deepEqual(await client.getAccessPolicy().then(identifiers), []);
      const start = new Date("2026-01-02T03:04:05Z");
      const expiry = new Date("2027-01-02T03:04:05Z");
      await client.setAccessPolicy([
        { id: "full", accessPolicy: { start, expiry, permission: "raud" } },
        { id: "bare" },
      ]);
      assert.deepEqual(await client.getAccessPolicy().then(identifiers), [
        { id: "full", start: start.getTime(), expiry: expiry.getTime(), permission: "raud" },
        { id: "bare", start: undefined, expiry: undefined, permission: undefined },
      ]);
      await client.setAccessPolicy([]);
      assert.deepEqual(await client.getAccessPolicy().then(identifiers), []);
      const head = await send(server, { method: "HEAD", path: "/policies", query: "comp=acl" });
      assert.equal(head.status, 200);
    });

    test("a SAS does what its letters say, and an upsert needs two of them", async () => {
      const owner = await createdTable(server, "letters");
      await owner.createEntity({ partitionKey: "p", rowKey: "1", v: 1 });
      const only = (permissions: NonNullable<TableSasSignatureValues["permissions"]>): TableClient =>
        withSas("letters", { permissions, expiresOn: expiresOn() });
      const query = only({ query: true });
      assert.equal((await query.getEntity("p", "1")).v, 1);
      assert.equal(await statusOf(query.createEntity({ partitionKey: "p", rowKey: "2" })), 403);
      assert.equal(await statusOf(query.deleteEntity("p", "1")), 403);
      const add = only({ add: true });
      assert.equal(await statusOf(add.createEntity({ partitionKey: "p", rowKey: "2" })), 200);
      assert.equal(await statusOf(add.upsertEntity({ partitionKey: "p", rowKey: "2" })), 403);
      assert.equal(await statusOf(add.getEntity("p", "1")), 403);
      const both = only({ add: true, update: true });
      assert.equal(await statusOf(both.upsertEntity({ partitionKey: "p", rowKey: "3" })), 200);
      assert.equal(await statusOf(both.deleteEntity("p", "3")), 403);
      assert.equal(
        await statusOf(only({ update: true }).updateEntity({ partitionKey: "p", rowKey: "1" })),
        200,
      );
      assert.equal(await statusOf(only({ delete: true }).deleteEntity("p", "1")), 200);
      assert.equal(await statusOf(query.getAccessPolicy()), 403);
      assert.equal(await statusOf(query.deleteTable()), 403);
      // Another table, and the batch as a way around.
      const other = await createdTable(server, "letters2");
      const sas = generateTableSas("letters", credential(server), {
        permissions: { query: true, add: true },
        expiresOn: expiresOn(),
      });
      const insert = { method: "POST", path: "/letters2", body: '{"PartitionKey":"p","RowKey":"x"}' };
      const around = await send(server, { ...changeSet(server, [insert]), query: sas, isUnsigned: true });
      assert.equal(partsOf(around)[0]!.status, 403);
      const read = await send(server, {
        ...batchQuery(server, { method: "GET", path: "/letters2()" }),
        query: sas,
        isUnsigned: true,
      });
      assert.equal(partsOf(read)[0]!.status, 403);
      for await (const _ of other.listEntities()) assert.fail("written with a SAS of another table");
    });

    test("a batch asks for the permission of each part", async () => {
      await createdTable(server, "parts");
      const client = withSas("parts", { permissions: { add: true }, expiresOn: expiresOn() });
      await client.submitTransaction([["create", { partitionKey: "p", rowKey: "1" }]]);
      const mixed = client.submitTransaction([
        ["create", { partitionKey: "p", rowKey: "2" }],
        ["delete", { partitionKey: "p", rowKey: "1" }],
      ]);
      assert.equal(await statusOf(mixed), 403);
      const rows: string[] = [];
      for await (const { rowKey } of tableClient(server, "parts").listEntities()) rows.push(rowKey!);
      assert.deepEqual(rows, ["1"]);
    });

    test("partition and row bounds limit queries in silence and refuse writes denied", async () => {
      const owner = await createdTable(server, "Bounds");
      for (const partitionKey of ["a", "b", "c", "d"]) {
        for (const rowKey of ["1", "2", "3"]) await owner.createEntity({ partitionKey, rowKey });
      }
      const bounded = withSas("bounds", {
        permissions: { query: true, add: true, update: true, delete: true },
        expiresOn: expiresOn(),
        startPartitionKey: "b",
        startRowKey: "2",
        endPartitionKey: "c",
        endRowKey: "2",
      });
      const rows: string[] = [];
      for await (const entity of bounded.listEntities()) rows.push(`${entity.partitionKey}${entity.rowKey}`);
      assert.deepEqual(rows, ["b2", "b3", "c1", "c2"]);
      assert.equal(await statusOf(bounded.getEntity("b", "2")), 200);
      assert.equal(await statusOf(bounded.getEntity("b", "1")), 404);
      assert.equal(await statusOf(bounded.upsertEntity({ partitionKey: "c", rowKey: "0" })), 200);
      for (const [partitionKey, rowKey] of [
        ["a", "9"],
        ["b", "1"],
        ["c", "3"],
        ["d", "0"],
      ] as const) {
        const write = bounded.upsertEntity({ partitionKey, rowKey, v: 1 });
        assert.equal(await statusOf(write), 403, `${partitionKey}${rowKey}`);
        const batch = bounded.submitTransaction([["upsert", { partitionKey, rowKey, v: 1 }]]);
        assert.equal(await statusOf(batch), 403);
      }
      assert.equal(await statusOf(bounded.deleteEntity("d", "1")), 403);
      const path = entityPath("bounds", "b", "1");
      const sas = generateTableSas("bounds", credential(server), {
        permissions: { update: true, add: true },
        expiresOn: expiresOn(),
        startPartitionKey: "c",
      });
      const denied = await send(server, { method: "PUT", path, query: sas, isUnsigned: true, body: "{}" });
      assert.deepEqual([denied.status, denied.code], [403, "AuthorizationFailure"]);
    });

    test("a stored policy gives and takes away, at once", async () => {
      const owner = await createdTable(server, "stored");
      await owner.createEntity({ partitionKey: "p", rowKey: "1" });
      await owner.setAccessPolicy([
        { id: "readers", accessPolicy: { expiry: expiresOn(), permission: "r" } },
      ]);
      const sas = generateTableSas("stored", credential(server), { identifier: "readers" });
      const read = () => send(server, { path: entityPath("stored", "p", "1"), query: sas, isUnsigned: true });
      assert.equal((await read()).status, 200);
      await owner.setAccessPolicy([]);
      assert.deepEqual([(await read()).status, (await read()).code], [403, "AuthenticationFailed"]);
    });

    test("an account SAS reaches tables and entities as its types say", async () => {
      await createdTable(server, "byaccount");
      const sas = (resourceTypes: string, permissions: object): string =>
        generateAccountSas(credential(server), {
          permissions,
          resourceTypes,
          services: { table: true },
          expiresOn: expiresOn(),
        } as Parameters<typeof generateAccountSas>[1]);
      const get = (path: string, query: string) => send(server, { path, query, isUnsigned: true });
      assert.equal((await get("/Tables", sas("c", { list: true }))).status, 200);
      assert.equal(
        (await get("/Tables", sas("o", { list: true }))).code,
        "AuthorizationResourceTypeMismatch",
      );
      assert.equal((await get("/byaccount()", sas("o", { query: true }))).status, 200);
      assert.equal(
        (await get("/byaccount()", sas("o", { list: true }))).code,
        "AuthorizationPermissionMismatch",
      );
    });

    test("service properties and statistics answer", async () => {
      const service = serviceClient(server);
      await service.setProperties({
        logging: {
          version: "1.0",
          delete: true,
          read: false,
          write: true,
          retentionPolicy: { enabled: false },
        },
      });
      assert.equal((await service.getProperties()).logging?.delete, true);
      const stats = await send(server, {
        path: "/",
        query: "restype=service&comp=stats",
        account: `${server.account}-secondary`,
      });
      assert.equal(stats.status, 200);
      assert.match(stats.body, /<Status>live<\/Status>/);
      // As Python's client asks: the secondary's name in front of the primary's, and signed without it.
      const signedPath = `/${server.account}/`;
      const python = await send(server, {
        path: signedPath,
        query: "restype=service&comp=stats",
        account: `${server.account}-secondary`,
        signedPath,
      });
      assert.equal(python.status, 200, python.body);
    });
  });
}

async function jobs(server: TestServer) {
  const { reclaimTables } = await import("../../src/services/table/reclaim.ts");
  return { tables: reclaimTables(server.runtime.parts) };
}

function identifiers(found: Awaited<ReturnType<TableClient["getAccessPolicy"]>>) {
  const list = [...found] as {
    id: string;
    accessPolicy?: { start?: Date; expiry?: Date; permission?: string };
  }[];
  return list.map(({ id, accessPolicy }) => ({
    id,
    start: accessPolicy?.start?.getTime(),
    expiry: accessPolicy?.expiry?.getTime(),
    permission: accessPolicy?.permission || undefined,
  }));
}
