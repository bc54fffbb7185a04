import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startTestServer, type TestServer } from "../kit/server.ts";
import { batchOf, changeSet, createdTable, entityPath, partsOf, type RawReply, send } from "../kit/table.ts";

/** Input nobody means well with: the protocol's error, in little time, and nothing stored. */
describe("hostile input to the Table service", () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
    const client = await createdTable(server, "target");
    await client.createEntity({ partitionKey: "p", rowKey: "r", v: 1 });
  });
  after(() => server.close());

  const filter = (text: string): Promise<RawReply> =>
    send(server, { path: "/target()", query: `$filter=${encodeURIComponent(text)}` });
  const stored = async (): Promise<number> => (await send(server, { path: "/target()" })).json.value.length;
  const refused = (reply: RawReply, status = 400, code = "InvalidInput"): void =>
    assert.deepEqual([reply.status, reply.code], [status, code], reply.body.slice(0, 300));

  test("filters may be deep and long up to a bound, and no further", async () => {
    const nested = (depth: number): string => `${"(".repeat(depth)}v eq 1${")".repeat(depth)}`;
    assert.equal((await filter(nested(64))).json.value.length, 1);
    refused(await filter(nested(65)));
    refused(await filter(nested(2_000)));
    assert.equal((await filter(`${"not ".repeat(64)}v eq 1`)).json.value.length, 1);
    refused(await filter(`${"not ".repeat(65)}v eq 1`));
    refused(await filter(`${"not ".repeat(2_000)}v eq 1`));
    const chain = (count: number, word: string): string => Array(count).fill("v eq 1").join(` ${word} `);
    assert.equal((await filter(chain(128, "and"))).json.value.length, 1);
    refused(await filter(chain(129, "and")));
    refused(await filter(chain(129, "or")));
    refused(await filter("(".repeat(4_000)));
  });

  test("many alternatives of keys cost one range, not many scans", async () => {
    const rows = Array.from({ length: 60 }, (_, i) => `RowKey eq 'r${i}'`).join(" or ");
    const partitions = Array.from({ length: 60 }, (_, i) => `PartitionKey eq 'p${i}'`).join(" or ");
    assert.equal(
      (await filter(`(${rows} or RowKey eq 'r') and (${partitions} or PartitionKey eq 'p')`)).json.value
        .length,
      1,
    );
  });

  test("literals of any length and shape are read or refused", async () => {
    assert.equal((await filter(`PartitionKey ge '${"a".repeat(4_000)}'`)).json.value.length, 1);
    assert.equal((await filter(`PartitionKey eq '${"p".repeat(4_000)}'`)).json.value.length, 0);
    assert.equal((await filter(`v lt ${"9".repeat(300)}`)).json.value.length, 1);
    for (const text of [
      `v lt ${"9".repeat(3_000)}`,
      `v eq ${"9".repeat(30)}L`,
      "v eq 1e999",
      "v eq 5x",
      "v eq 'open",
      "v eq datetime'yesterday'",
      "v eq datetime'0000-01-01T00:00:00Z'",
      "v eq guid'123'",
      "v eq X'123'",
      "v eq X'zz'",
      "v eq unknown'1'",
      "v = 1",
      "v eq 1 and",
      "v eq w",
      "1 eq 1",
      "(v eq 1",
      "v eq 1)",
      "'text'",
      "V EQ 1",
      "v eq 1 AND v eq 1",
      "\u0000",
      "v eq \ud83d\ude00",
    ]) {
      refused(await filter(text));
    }
    const raw = await send(server, { path: "/target()", query: "$filter=%ff" });
    assert.equal(raw.status, 400);
  });

  test("bodies that are not JSON, or not an entity, are refused", async () => {
    const bodies: readonly (string | Buffer)[] = [
      "",
      "{",
      "}",
      "[]",
      "null",
      "1",
      '"text"',
      "{a:1}",
      "{'a':1}",
      '{"a":1,}',
      '{"a" 1}',
      '{"a":01}',
      '{"a":+1}',
      '{"a":.5}',
      '{"a":1.}',
      '{"a":1e}',
      '{"a":NaN}',
      '{"a":Infinity}',
      '{"a":tru}',
      '{"a":"open}',
      '{"a":"\\x"}',
      '{"a":"\\u12"}',
      '{"a":"\n"}',
      '{"a":"\\ud800"}',
      '{"a":1} {}',
      '{"a":1}//',
      `{"a":1e${"9".repeat(100)}}`,
      `{"a":${"1".repeat(5_000)}}`,
      '{"a@odata.type":"Edm.Int32","a":2147483648}',
      '{"a@odata.type":"Edm.Int32","a":1.5}',
      '{"a@odata.type":"Edm.Int64","a":"9223372036854775808"}',
      '{"a@odata.type":"Edm.Double","a":"one"}',
      '{"a@odata.type":"Edm.Boolean","a":"yes"}',
      '{"a@odata.type":"Edm.DateTime","a":"2020-02-30T00:00:00Z"}',
      '{"a@odata.type":"Edm.DateTime","a":"0000-12-31T23:59:59Z"}',
      '{"a@odata.type":"Edm.DateTime","a":1}',
      '{"a@odata.type":"Edm.Guid","a":"{a455c695-df98-5678-aaaa-81d3367e5a34)"}',
      '{"a@odata.type":"Edm.Binary","a":"AA*A"}',
      '{"a@odata.type":"Edm.String","a":1}',
      Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    ];
    for (const body of bodies) {
      const reply = await send(server, { method: "PUT", path: entityPath("target", "p", "new"), body });
      refused(reply);
    }
    for (const body of ['{"a":[1]}', '{"a":{"b":1}}', "{".repeat(1).concat('"a":', "[".repeat(100_000))]) {
      const reply = await send(server, { method: "PUT", path: entityPath("target", "p", "new"), body });
      refused(reply, 400, "InvalidInput");
    }
    for (const body of [
      '{"a":1,"a":2}',
      '{"a":1,"\\u0061":2}',
      '{"a@odata.type":"Edm.Int32","a@odata.type":"Edm.Int32","a":1}',
    ]) {
      const reply = await send(server, { method: "PUT", path: entityPath("target", "p", "new"), body });
      refused(reply, 400, "DuplicatePropertiesSpecified");
    }
    assert.equal(await stored(), 1);
  });

  test("names of the language's own objects are names like any other", async () => {
    const body = '{"__proto__":1,"constructor":"x","toString":true,"hasOwnProperty":2}';
    const path = entityPath("target", "p", "proto");
    assert.equal((await send(server, { method: "PUT", path, body })).status, 204);
    const { json } = await send(server, { path });
    assert.deepEqual([json.constructor, json.toString, json.hasOwnProperty], ["x", true, 2]);
    assert.equal((await filter("__proto__ eq 1")).json.value.length, 1);
    assert.equal((await filter("valueOf eq 1")).json.value.length, 0);
    await send(server, { method: "DELETE", path, headers: { "If-Match": "*" } });
  });

  test("addresses that are almost right are refused", async () => {
    for (const path of [
      "/target(PartitionKey='p',RowKey='r'",
      "/target(PartitionKey='p',RowKey=r)",
      "/target(PartitionKey='p''',RowKey='r)",
      "/target(PartitionKey='p',PartitionKey='p')",
      "/target(PartitionKey='p',RowKey='r',Other='x')",
      "/target('p','r')",
      "/target(PartitionKey='p' RowKey='r')",
      "/target(PartitionKey='p',RowKey='r')x",
      "/target/x",
    ]) {
      const reply = await send(server, { path: path.replaceAll(" ", "%20") });
      assert.equal(reply.status, 400, path);
    }
  });

  const part = (body: string, boundary = "changeset_c"): string =>
    `--${boundary}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\nPOST http://h/${server.account}/target HTTP/1.1\r\nContent-Type: application/json\r\n\r\n${body}\r\n`;
  const row = (name: string): string => `{"PartitionKey":"p","RowKey":"${name}"}`;
  const outer = (inner: string): string =>
    `--batch_b\r\nContent-Type: multipart/mixed; boundary=changeset_c\r\n\r\n${inner}--changeset_c--\r\n--batch_b--\r\n`;

  test("batches with wrong frames are refused as a whole", async () => {
    const good = outer(part(row("x")));
    const frames: readonly (readonly [string, string?])[] = [
      [""],
      ["--batch_b--\r\n"],
      [good.replaceAll("batch_b", "batch_x")],
      [good.replace("--batch_b--", "")],
      [good.replace("--changeset_c--", "--changeset_x--")],
      [good.replace("boundary=changeset_c", "boundary=changeset_x")],
      [good.replace("boundary=changeset_c", "")],
      [good, "multipart/mixed"],
      [good, "multipart/mixed; boundary="],
      [good, `multipart/mixed; boundary=${"b".repeat(500)}`],
      [good, "application/json"],
      [outer("")],
      // Two change sets, and a change set within a change set.
      [good.replace("--batch_b--\r\n", "") + good],
      [
        outer(
          `--changeset_c\r\nContent-Type: multipart/mixed; boundary=c2\r\n\r\n${part(row("x"), "c2")}--c2--\r\n`,
        ),
      ],
      [outer(part(row("x")).replace("HTTP/1.1", "HTTP/9"))],
      [outer(part(row("x")).replace("POST ", "P\u0000ST "))],
      [good.replace("Content-Transfer-Encoding: binary", `X: ${"y".repeat(40_000)}`)],
      // A change outside of any change set.
      [`${part(row("x"), "batch_b")}${part(row("y"), "batch_b")}--batch_b--\r\n`],
    ];
    for (const [body, type] of frames) {
      const reply = await send(server, batchOf(body, type));
      assert.equal(reply.status, 400, body.slice(0, 200));
      assert.equal(reply.code, "InvalidInput");
    }
    const alone = await send(server, batchOf(`${part(row("x"), "batch_b")}--batch_b--\r\n`));
    assert.deepEqual([alone.status, partsOf(alone)[0]!.status], [202, 400]);
    assert.equal(await stored(), 1);
  });

  test("parts that are not changes to entities of this account are refused, and undo the rest", async () => {
    const insert = { method: "POST", path: "/target", body: row("x") };
    const bad = [
      { method: "POST", path: "/$batch", body: "{}" },
      { method: "POST", path: "/Tables", body: '{"TableName":"sneaky"}' },
      { method: "DELETE", path: "/Tables('target')" },
      { method: "PUT", path: "/target?comp=acl", body: "" },
      { method: "PUT", path: "/?restype=service&comp=properties", body: "" },
      { method: "GET", path: "/target()" },
      { method: "POST", path: "/target", body: "{" },
      { method: "POST", path: "/target", body: row("a/b") },
      { method: "POST", path: "/target%", body: row("y") },
      { method: "PUT", path: entityPath("target", "p", "y"), body: "{}", headers: { "If-Match": "x" } },
    ];
    for (const last of bad) {
      const reply = await send(server, changeSet(server, [insert, last]));
      assert.equal(reply.status, 202);
      const parts = partsOf(reply);
      assert.equal(parts.length, 1, JSON.stringify(last));
      assert.ok(parts[0]!.status >= 400, JSON.stringify(last));
      assert.match(parts[0]!.message!, /^1:/);
    }
    assert.equal(await stored(), 1);
    assert.equal((await send(server, { path: "/Tables('sneaky')" })).status, 404);
  });

  test("a part cannot reach another account or carry lines of its own into the answer", async () => {
    const body = outer(part(row("x")).replace(`/${server.account}/target`, "/otheraccount/target"));
    const [other] = partsOf(await send(server, batchOf(body)));
    assert.ok(other!.status >= 400);
    const id = outer(
      part(row("there")).replace("Content-Transfer", "Content-ID: 1\rX: y\r\nContent-Transfer"),
    );
    const reply = await send(server, batchOf(id));
    assert.doesNotMatch(reply.body, /\rX: y/);
    assert.ok((await stored()) <= 2);
  });
});
