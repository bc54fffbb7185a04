import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { odata, type TableClient } from "@azure/data-tables";
import { ENGINES, startTestServer, type TestServer } from "../kit/server.ts";
import { createdTable, entityPath, send } from "../kit/table.ts";

async function filtered(client: TableClient, filter: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { rowKey } of client.listEntities({ queryOptions: { filter } })) found.push(rowKey!);
  return found;
}

for (const engine of ENGINES) {
  describe(`queries of entities, over ${engine}`, () => {
    let server: TestServer;
    let mixed: TableClient;
    before(async () => {
      server = await startTestServer({ engine });
      mixed = await createdTable(server, "mixed");
      const base = { partitionKey: "p" };
      await mixed.createEntity({ ...base, rowKey: "a", n: 5, s: "apple", flag: true });
      await mixed.createEntity({ ...base, rowKey: "b", n: 10n, s: "Banana", flag: false });
      await mixed.createEntity({ ...base, rowKey: "c", n: { type: "Double", value: "7.5" }, s: "it's" });
      await mixed.createEntity({ ...base, rowKey: "d", n: "5", when: new Date("2020-05-05T05:05:05Z") });
      const guid = { type: "Guid", value: "a455c695-df98-5678-aaaa-81d3367e5a34" } as const;
      await mixed.createEntity({ ...base, rowKey: "e", id: guid, bytes: Buffer.from("bin") });
    });
    after(() => server.close());

    const cases: readonly [filter: string, rows: string][] = [
      ["n eq 5", "a"],
      ["n eq 5L", "a"],
      ["n ge 5", "abc"],
      ["n gt 7.4 and n lt 7.6", "c"],
      ["n eq 1e1", "b"],
      ["n eq '5'", "d"],
      ["n ne 5", "bc"],
      ["not (n eq 5)", "bcde"],
      ["not n eq 5 and RowKey lt 'c'", "b"],
      ["5 lt n", "bc"],
      ["flag", "a"],
      ["flag eq false", "b"],
      ["not flag", "bcde"],
      ["s eq 'it''s'", "c"],
      ["s ge 'a' and s lt 'b'", "a"],
      ["when gt datetime'2020-05-05T05:05:04.9999999Z'", "d"],
      ["when eq datetime'2020-05-05T05:05:05Z'", "d"],
      ["id eq guid'A455C695-DF98-5678-AAAA-81D3367E5A34'", "e"],
      ["bytes eq X'62696e'", "e"],
      ["bytes ge binary'62'", "e"],
      ["Timestamp gt datetime'2001-01-01T00:00:00Z'", "abcde"],
      ["Timestamp lt datetime'2001-01-01T00:00:00Z'", ""],
      ["when gt datetime'0001-01-01T00:00:00.0000000Z'", "d"],
      ["PartitionKey eq 'p' and RowKey eq 'c'", "c"],
      ["PartitionKey eq 'p' and (RowKey eq 'e' or RowKey eq 'a')", "ae"],
      ["PartitionKey eq 'q'", ""],
      ["RowKey gt 'b' and RowKey le 'd'", "cd"],
      ["absent eq 1", ""],
      ["absent ne 1", ""],
      ["not (absent eq 1)", "abcde"],
      ["(n eq 5 or s eq 'Banana') and flag eq true", "a"],
      ["(n eq 5 or s eq 'Banana') and flag eq TRUE", "a"],
      ["n eq 5 or s eq 'Banana' and flag eq true", "a"],
      ["true", "abcde"],
      ["PartitionKey eq 5", ""],
      ["\n  n ge 5\r\n  and\n  flag eq true\n", "a"],
      ["n lt INF", "abc"],
      ["n gt -INF and n lt 6", "a"],
      ["n eq INF", ""],
      ["n le NaN", ""],
    ];
    test("filters follow the documented grammar and types", async () => {
      for (const [filter, rows] of cases) {
        assert.equal((await filtered(mixed, filter)).join(""), rows, filter);
      }
      assert.deepEqual(await filtered(mixed, odata`s eq ${"it's"}`), ["c"]);
      assert.deepEqual(await filtered(mixed, odata`when le ${new Date("2020-05-05T05:05:05Z")}`), ["d"]);
    });

    test("a malformed filter is refused with the place of the error", async () => {
      const reply = await send(server, { path: "/mixed()", query: "$filter=aaa%20bbb%20ccc" });
      assert.deepEqual([reply.status, reply.code], [400, "InvalidInput"]);
      assert.match(reply.message!, /^Syntax error at position 7 in 'aaa bbb ccc'\./);
      const number = await send(server, { path: "/mixed()", query: "$filter=1" });
      assert.deepEqual([number.status, number.code], [400, "InvalidInput"]);
      assert.match(number.message!, /^The \$filter expression must evaluate to a single boolean value\./);
    });

    test("$select gives the named properties only, keys when they are named, null for what is missing", async () => {
      const query = "$filter=RowKey%20lt%20'c'&$select=n,RowKey,absent";
      const { json } = await send(server, { path: "/mixed()", query });
      assert.match(json["odata.metadata"], /\$metadata#mixed&\$select=n,RowKey,absent$/);
      const [first, second] = json.value;
      assert.deepEqual(Object.keys(first), ["odata.etag", "RowKey", "n", "absent"]);
      assert.deepEqual(Object.keys(second), ["odata.etag", "RowKey", "n@odata.type", "n", "absent"]);
      assert.equal(first.absent, null);
      const none = await send(server, { path: "/mixed()", query: "$top=1&$select=absent" });
      assert.deepEqual(Object.keys(none.json.value[0]), ["odata.etag", "absent"]);
      const bare = await send(server, {
        path: entityPath("mixed", "p", "a"),
        query: "$select=absent,Timestamp,PartitionKey",
        headers: { Accept: "application/json;odata=nometadata" },
      });
      assert.deepEqual(Object.keys(bare.json), ["PartitionKey", "Timestamp", "absent"]);
      assert.equal(bare.json.absent, null);
      const one = await send(server, { path: entityPath("mixed", "p", "a"), query: "$select=s" });
      assert.equal(one.json.s, "apple");
      assert.equal(one.json.PartitionKey, undefined);
    });

    test("names that are selected and missing count for the size of a page", async () => {
      const names = Array.from({ length: 250 }, (_, i) => `n${i}${"x".repeat(50)}`).join(",");
      await createdTable(server, "nulls");
      const insert = { method: "POST", path: "/nulls", headers: { Prefer: "return-no-content" } };
      for (let row = 0; row < 400; row++)
        await send(server, { ...insert, body: JSON.stringify({ PartitionKey: "p", RowKey: String(row) }) });
      const { body, json, headers } = await send(server, { path: "/nulls()", query: `$select=${names}` });
      assert.ok(json.value.length < 400 && json.value.length > 100, `${json.value.length} entities`);
      assert.ok(body.length < 5 << 20, `${body.length} bytes`);
      assert.ok(headers["x-ms-continuation-nextrowkey"]);
    });

    test("three levels of metadata say nothing, enough, and everything", async () => {
      const at = (level: string) =>
        send(server, {
          path: entityPath("mixed", "p", "b"),
          headers: { Accept: `application/json;odata=${level}` },
        });
      const none = await at("nometadata");
      assert.deepEqual(Object.keys(none.json), ["PartitionKey", "RowKey", "Timestamp", "n", "s", "flag"]);
      assert.equal(none.json.n, "10");
      const minimal = await at("minimalmetadata");
      assert.deepEqual(Object.keys(minimal.json), [
        "odata.metadata",
        "odata.etag",
        "PartitionKey",
        "RowKey",
        "Timestamp",
        "n@odata.type",
        "n",
        "s",
        "flag",
      ]);
      assert.equal(minimal.json["odata.etag"], minimal.headers.etag);
      const full = await at("fullmetadata");
      const base = `${server.endpoints.table}/${server.account}`;
      assert.equal(full.json["odata.metadata"], `${base}/$metadata#mixed/@Element`);
      assert.equal(full.json["odata.type"], `${server.account}.mixed`);
      assert.equal(full.json["odata.id"], `${base}/mixed(PartitionKey='p',RowKey='b')`);
      assert.equal(full.json["odata.editLink"], "mixed(PartitionKey='p',RowKey='b')");
      assert.equal(full.json["Timestamp@odata.type"], "Edm.DateTime");
      const plain = await send(server, {
        path: entityPath("mixed", "p", "b"),
        headers: { Accept: "application/json" },
      });
      assert.deepEqual(Object.keys(plain.json), Object.keys(minimal.json));
      const format = await send(server, {
        path: "/mixed()",
        query: "$format=application/json;odata=nometadata&$top=1",
        headers: { Accept: "application/json;odata=fullmetadata" },
      });
      assert.deepEqual(Object.keys(format.json), ["value"]);
    });

    test("pages hold 1,000 entities and stay apart while others write", async () => {
      const paged = await createdTable(server, "paged");
      const rows = Array.from({ length: 2_350 }, (_, i) => String(i).padStart(5, "0"));
      for (let i = 0; i < rows.length; i += 100) {
        await paged.submitTransaction(
          rows.slice(i, i + 100).map((rowKey) => ["create", { partitionKey: "p", rowKey, v: 1 }]),
        );
      }
      const seen: string[] = [];
      let pages = 0;
      let query = "";
      do {
        const reply = await send(server, { path: "/paged()", query });
        seen.push(...reply.json.value.map((entity: { RowKey: string }) => entity.RowKey));
        const partition = reply.headers["x-ms-continuation-nextpartitionkey"];
        const row = reply.headers["x-ms-continuation-nextrowkey"];
        query = partition === undefined ? "" : `NextPartitionKey=${partition}&NextRowKey=${row}`;
        if (++pages === 1) {
          assert.equal(seen.length, 1_000);
          // Before, at and after the place where the next page starts.
          await paged.upsertEntity({ partitionKey: "a", rowKey: "new" });
          await paged.deleteEntity("p", "01000");
          await paged.upsertEntity({ partitionKey: "p", rowKey: "00500", v: 2 });
          await paged.createEntity({ partitionKey: "p", rowKey: "01500x" });
        }
      } while (query !== "");
      const expected = [...rows.filter((row) => row !== "01000"), "01500x"].sort();
      assert.deepEqual(seen, expected);
      assert.equal(pages, 3);
    });

    test("a query that finds little hands out a continuation rather than looking for long", async () => {
      const client = await createdTable(server, "sparse");
      for (let i = 0; i < 4_500; i += 100) {
        await client.submitTransaction(
          Array.from({ length: 100 }, (_, row) => [
            "create",
            { partitionKey: "p", rowKey: String(i + row).padStart(5, "0"), n: i + row },
          ]),
        );
      }
      const query = "$filter=n%20eq%204400";
      const first = await send(server, { path: "/sparse()", query });
      assert.deepEqual(first.json.value, []);
      assert.ok(first.headers["x-ms-continuation-nextrowkey"] !== undefined);
      assert.deepEqual(await filtered(client, "n eq 4400"), ["04400"]);
      // The same entity by its keys is found at once.
      assert.deepEqual(await filtered(client, "PartitionKey eq 'p' and RowKey eq '04400' and n eq 4400"), [
        "04400",
      ]);
    });

    test("$top bounds a page, and the SDK follows continuations of any length", async () => {
      const reply = await send(server, { path: "/mixed()", query: "$top=2" });
      assert.equal(reply.json.value.length, 2);
      const next = String(reply.headers["x-ms-continuation-nextrowkey"]);
      assert.match(next, /^1!\d+!/);
      const sizes: number[] = [];
      for await (const page of mixed.listEntities().byPage({ maxPageSize: 2 })) sizes.push(page.length);
      assert.deepEqual(sizes, [2, 2, 1]);
      // A page that ends with the last entity says so.
      const all = await send(server, { path: "/mixed()", query: "$top=5" });
      assert.equal(all.headers["x-ms-continuation-nextrowkey"], undefined);
      // None is a number too; its page has no next one.
      const none = await send(server, { path: "/mixed()", query: "$top=0" });
      assert.deepEqual([none.status, none.json.value], [200, []]);
      assert.equal(none.headers["x-ms-continuation-nextpartitionkey"], undefined);
      for (const top of ["1001", "-1", "x"]) {
        const bad = await send(server, { path: "/mixed()", query: `$top=${top}` });
        assert.deepEqual([bad.status, bad.code], [400, "InvalidInput"], top);
      }
    });

    test("partitions come in order, then rows, by code point", async () => {
      const sorted = await createdTable(server, "sorted");
      const texts = ["", "A", "Z", "a", "aa", "b", "é", "日", "\uff01", "😀"];
      for (const partitionKey of [...texts].reverse()) {
        await sorted.createEntity({ partitionKey, rowKey: "2" });
        await sorted.createEntity({ partitionKey, rowKey: "1" });
      }
      const found: string[] = [];
      for await (const entity of sorted.listEntities()) found.push(`${entity.partitionKey}/${entity.rowKey}`);
      assert.deepEqual(
        found,
        texts.flatMap((text) => [`${text}/1`, `${text}/2`]),
      );
      assert.deepEqual(await filtered(sorted, "PartitionKey gt '\uff01'"), ["1", "2"]);
    });
  });
}
