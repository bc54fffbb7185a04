import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TableClient } from "@azure/data-tables";
import { ENGINES, startTestServer, type TestServer } from "../kit/server.ts";
import { createdTable, entityPath, send, tableClient } from "../kit/table.ts";

for (const engine of ENGINES) {
  describe(`entities through Azure's SDK, over ${engine}`, () => {
    let server: TestServer;
    let people: TableClient;
    before(async () => {
      server = await startTestServer({ engine });
      people = await createdTable(server, "People");
    });
    after(() => server.close());

    const refused = (statusCode: number, code: string) => (error: unknown) => {
      const found = error as { statusCode?: number; details?: { odataError?: { code?: string } } };
      assert.equal(found.statusCode, statusCode);
      assert.equal(found.details?.odataError?.code, code);
      return true;
    };

    test("an entity comes back as it was inserted, every type without loss", async () => {
      const entity = {
        partitionKey: "types",
        rowKey: "all",
        text: 'quoted "text" \\ with \u0001 control, ümlaut and 😀',
        empty: "",
        int32: -2_147_483_648,
        int64: 9_223_372_036_854_775_807n,
        double: { type: "Double", value: "3" },
        fraction: 0.1,
        huge: 1e300,
        nan: { type: "Double", value: "NaN" },
        infinity: { type: "Double", value: "Infinity" },
        minus: { type: "Double", value: "-Infinity" },
        yes: true,
        no: false,
        loud: { type: "Boolean", value: "TRUE" },
        date: { type: "DateTime", value: "1601-01-01T00:00:00.0000001Z" },
        late: { type: "DateTime", value: "9999-12-31T23:59:59.9999999Z" },
        offset: { type: "DateTime", value: "2020-01-01T01:00:00.5+01:00" },
        guid: { type: "Guid", value: "A455C695-df98-5678-aaaa-81d3367e5a34" },
        braced: { type: "Guid", value: "{a455c695-DF98-5678-aaaa-81d3367e5a34}" },
        bare: { type: "Guid", value: "a455c695df985678aaaa81d3367e5a34" },
        binary: Buffer.from([0, 1, 254, 255]),
      } as const;
      await people.createEntity(entity);
      const found = await people.getEntity("types", "all", { disableTypeConversion: true });
      const { etag, timestamp, "odata.metadata": _, ...rest } = found as Record<string, unknown>;
      assert.match(String(etag), /^W\/"datetime'\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d(\.\d{1,7})?Z'"$/);
      assert.equal(String(etag), `W/"datetime'${String(timestamp).replaceAll(":", "%3A")}'"`);
      assert.deepEqual(rest, {
        partitionKey: "types",
        rowKey: "all",
        text: { type: "String", value: entity.text },
        empty: { type: "String", value: "" },
        int32: { type: "Int32", value: "-2147483648" },
        int64: { type: "Int64", value: "9223372036854775807" },
        // The SDK reads JSON numbers, where 3.0 and 3 are one.
        double: { type: "Int32", value: "3" },
        fraction: { type: "Double", value: "0.1" },
        huge: { type: "Double", value: "1e+300" },
        nan: { type: "Double", value: "NaN" },
        infinity: { type: "Double", value: "Infinity" },
        minus: { type: "Double", value: "-Infinity" },
        yes: { type: "Boolean", value: "true" },
        no: { type: "Boolean", value: "false" },
        loud: { type: "Boolean", value: "true" },
        date: { type: "DateTime", value: "1601-01-01T00:00:00.0000001Z" },
        late: { type: "DateTime", value: "9999-12-31T23:59:59.9999999Z" },
        offset: { type: "DateTime", value: "2020-01-01T00:00:00.5Z" },
        guid: { type: "Guid", value: "a455c695-df98-5678-aaaa-81d3367e5a34" },
        braced: { type: "Guid", value: "a455c695-df98-5678-aaaa-81d3367e5a34" },
        bare: { type: "Guid", value: "a455c695-df98-5678-aaaa-81d3367e5a34" },
        binary: { type: "Binary", value: "AAH+/w==" },
      });
      const raw = await send(server, { path: entityPath("People", "types", "all") });
      assert.match(raw.body, /"double":3\.0,/);
    });

    test("insert refuses what is there, and a table that is not", async () => {
      await people.createEntity({ partitionKey: "p", rowKey: "once", n: 1 });
      await assert.rejects(
        people.createEntity({ partitionKey: "p", rowKey: "once", n: 2 }),
        refused(409, "EntityAlreadyExists"),
      );
      assert.equal((await people.getEntity("p", "once")).n, 1);
      await assert.rejects(
        tableClient(server, "nosuch").createEntity({ partitionKey: "p", rowKey: "r" }),
        refused(404, "TableNotFound"),
      );
    });

    test("update and merge obey If-Match, and * takes any revision but not none", async () => {
      const first = await people.createEntity({ partitionKey: "p", rowKey: "cond", a: 1, b: 1 });
      const second = await people.updateEntity({ partitionKey: "p", rowKey: "cond", a: 2 }, "Merge", {
        etag: first.etag!,
      });
      assert.notEqual(first.etag, second.etag);
      const merged = await people.getEntity("p", "cond");
      assert.deepEqual([merged.a, merged.b, merged.etag], [2, 1, second.etag]);

      for (const mode of ["Merge", "Replace"] as const) {
        await assert.rejects(
          people.updateEntity({ partitionKey: "p", rowKey: "cond", a: 3 }, mode, { etag: first.etag! }),
          refused(412, "UpdateConditionNotSatisfied"),
        );
        await assert.rejects(
          people.updateEntity({ partitionKey: "p", rowKey: "absent", a: 3 }, mode, { etag: "*" }),
          refused(404, "ResourceNotFound"),
        );
      }
      assert.equal((await people.getEntity("p", "cond")).a, 2);
      await people.updateEntity({ partitionKey: "p", rowKey: "cond", a: 4 }, "Replace", { etag: "*" });
      const replaced = await people.getEntity("p", "cond");
      assert.deepEqual([replaced.a, replaced.b], [4, undefined]);
    });

    test("insert-or-replace and insert-or-merge check nothing", async () => {
      await people.upsertEntity({ partitionKey: "p", rowKey: "up", a: 1, b: 1 }, "Merge");
      await people.upsertEntity({ partitionKey: "p", rowKey: "up", b: 2, c: 3 }, "Merge");
      const merged = await people.getEntity("p", "up");
      assert.deepEqual([merged.a, merged.b, merged.c], [1, 2, 3]);
      await people.upsertEntity({ partitionKey: "p", rowKey: "up", c: 4 }, "Replace");
      const replaced = await people.getEntity("p", "up");
      assert.deepEqual([replaced.a, replaced.b, replaced.c], [undefined, undefined, 4]);
    });

    test("a merge ignores nulls, a replace drops them", async () => {
      await people.createEntity({ partitionKey: "p", rowKey: "null", a: 1, b: null });
      await people.updateEntity({ partitionKey: "p", rowKey: "null", a: null, c: 2 }, "Merge");
      const found = await people.getEntity("p", "null");
      assert.deepEqual([found.a, "b" in found, found.c], [1, false, 2]);
    });

    test("delete obeys If-Match", async () => {
      const { etag } = await people.createEntity({ partitionKey: "p", rowKey: "gone" });
      await people.updateEntity({ partitionKey: "p", rowKey: "gone", a: 1 }, "Merge");
      await assert.rejects(
        people.deleteEntity("p", "gone", { etag: etag! }),
        refused(412, "UpdateConditionNotSatisfied"),
      );
      await people.deleteEntity("p", "gone");
      await assert.rejects(people.getEntity("p", "gone"), refused(404, "ResourceNotFound"));
      await assert.rejects(people.deleteEntity("p", "gone"), refused(404, "ResourceNotFound"));
    });

    test("the Timestamp is the server's and advances with every write, also when the clock stands", async () => {
      const path = entityPath("People", "p", "clock");
      const seen: string[] = [];
      for (let i = 0; i < 3; i++) {
        await send(server, { method: "PUT", path, body: '{"Timestamp":"1999-01-01T00:00:00Z","a":1}' });
        seen.push((await send(server, { path })).json.Timestamp);
      }
      const ticks = seen.map((text) => text.replace(/Z$/, "").padEnd(27, "0"));
      assert.deepEqual([...ticks].sort(), ticks);
      assert.equal(new Set(ticks).size, 3);
      assert.ok(seen.every((text) => !text.startsWith("1999")));
    });

    test("keys may be empty, hold quotes, blanks and any script, and be as long as allowed", async () => {
      const long = "ü".repeat(512);
      for (const [partitionKey, rowKey] of [
        ["", ""],
        ["it's", "a 'row'"],
        ["100% + 1 & 2 = 3", "(x,y)"],
        ["Ω≈ç√", "日本語 😀"],
        [long, long],
      ] as const) {
        await people.createEntity({ partitionKey, rowKey, v: 1 });
        const found = await people.getEntity(partitionKey, rowKey);
        assert.deepEqual([found.partitionKey, found.rowKey], [partitionKey, rowKey]);
      }
    });

    test("a table name is found in any spelling and keeps its own", async () => {
      await people.createEntity({ partitionKey: "case", rowKey: "1", v: 7 });
      assert.equal((await tableClient(server, "pEOPLE").getEntity("case", "1")).v, 7);
      const again = await send(server, { method: "POST", path: "/Tables", body: '{"TableName":"PEOPLE"}' });
      assert.deepEqual([again.status, again.code], [409, "TableAlreadyExists"]);
      const { json } = await send(server, { path: "/Tables('people')" });
      assert.equal(json.TableName, "People");
    });

    if (engine === "embedded") {
      test("entities outlive a restart, with their ETags", async () => {
        const { etag } = await people.createEntity({ partitionKey: "kept", rowKey: "1", v: 1n });
        server = await server.restart();
        people = tableClient(server, "People");
        const found = await people.getEntity("kept", "1");
        assert.deepEqual([found.v, found.etag], [1n, etag]);
      });
    }
  });
}
