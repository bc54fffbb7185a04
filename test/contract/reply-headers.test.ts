import assert from "node:assert/strict";
import type { IncomingHttpHeaders } from "node:http";
import { after, before, suite, test } from "node:test";
import { send as sendPlain } from "../kit/send.ts";
import { ENGINES, startTestServer, type TestServer } from "../kit/server.ts";
import { batchQuery, changeSet, entityPath, type RawRequest, send } from "../kit/table.ts";

/** The headers of queues and tables, as recorded answers of Azure have them. */
const NAMES = [
  "cache-control",
  "content-length",
  "dataserviceversion",
  "preference-applied",
  "x-content-type-options",
  "x-ms-error-code",
] as const;
type Header = (typeof NAMES)[number];

function pick(headers: IncomingHttpHeaders, expected: Partial<Record<Header, string>>): object {
  // The length of a body is not the subject.
  const names = NAMES.filter((name) => name !== "content-length" || "content-length" in expected);
  return Object.fromEntries(
    names.filter((name) => headers[name] !== undefined).map((name) => [name, headers[name]]),
  );
}

const odata = { "cache-control": "no-cache", "x-content-type-options": "nosniff" } as const;
const uncached = { "cache-control": "no-cache" } as const;
const empty = { "content-length": "0" } as const;

for (const engine of ENGINES) {
  suite(`headers of replies on ${engine}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer({ engine });
    });
    after(() => server.close());

    const queue = async (
      [method, path, query = {}, body]: [string, string, Record<string, string>?, string?],
      status: number,
      expected: Partial<Record<Header, string>>,
    ): Promise<string> => {
      const bytes = body === undefined ? {} : { body: Buffer.from(body) };
      const reply = await sendPlain(server, { service: "queue", method, path, query, ...bytes });
      assert.equal(reply.status, status, reply.body);
      assert.deepEqual(pick(reply.headers, expected), expected, `${method} ${path}`);
      return reply.body;
    };

    test("queues: reads are not for caches, replies without a body have the length 0", async () => {
      const text = "<QueueMessage><MessageText>a</MessageText></QueueMessage>";
      await queue(["PUT", "/headers"], 201, empty);
      await queue(["PUT", "/headers"], 204, empty);
      await queue(["PUT", "/headers", { comp: "metadata" }], 204, empty);
      await queue(["PUT", "/headers", { comp: "acl" }], 204, empty);
      await queue(["GET", "/headers", { comp: "metadata" }], 200, { ...uncached, ...empty });
      await queue(["GET", "/headers", { comp: "acl" }], 200, uncached);
      await queue(["GET", "/", { comp: "list" }], 200, uncached);
      await queue(["GET", "/", { restype: "service", comp: "properties" }], 200, uncached);
      await queue(["POST", "/headers/messages", {}, text], 201, {});
      await queue(["GET", "/headers/messages", { peekonly: "true" }], 200, uncached);
      const body = await queue(["GET", "/headers/messages"], 200, uncached);
      const id = /<MessageId>(.*?)</.exec(body)![1]!;
      const popreceipt = /<PopReceipt>(.*?)</.exec(body)![1]!;
      const message = `/headers/messages/${id}`;
      await queue(["PUT", message, { popreceipt, visibilitytimeout: "0" }], 204, empty);
      const again = await queue(["GET", "/headers/messages"], 200, uncached);
      await queue(["DELETE", message, { popreceipt: /<PopReceipt>(.*?)</.exec(again)![1]! }], 204, empty);
      await queue(["DELETE", "/headers/messages"], 204, empty);
      await queue(["DELETE", "/headers"], 204, empty);
      await queue(["DELETE", "/headers"], 404, { "x-ms-error-code": "QueueNotFound" });
    });

    const table = async (
      request: RawRequest,
      status: number,
      expected: Partial<Record<Header, string>>,
    ): Promise<void> => {
      const reply = await send(server, request);
      assert.equal(reply.status, status, reply.body);
      assert.deepEqual(pick(reply.headers, expected), expected, `${request.method} ${request.path}`);
    };
    const prefer = (value: string) => ({ headers: { Prefer: value } });
    const entity = '{"PartitionKey":"p","RowKey":"r"}';
    const quiet = "return-no-content";

    test("tables: successes name no version of OData", async () => {
      const create = { method: "POST", path: "/Tables", body: '{"TableName":"headers"}' };
      const applied = { ...odata, "preference-applied": quiet };
      await table({ ...create, ...prefer(quiet) }, 204, { ...applied, ...empty });
      await table({ path: "/Tables" }, 200, odata);
      await table({ path: "/Tables('headers')" }, 200, odata);
      const insert = { method: "POST", path: "/headers", body: entity };
      await table({ ...insert, ...prefer(quiet) }, 204, { ...applied, ...empty });
      const at = entityPath("headers", "p", "r");
      await table({ path: at }, 200, odata);
      await table({ path: "/headers()" }, 200, odata);
      for (const method of ["PUT", "PATCH", "MERGE"])
        await table({ method, path: at, body: "{}" }, 204, { ...odata, ...empty });
      await table({ method: "DELETE", path: at, headers: { "If-Match": "*" } }, 204, { ...odata, ...empty });
      await table(insert, 201, odata);
      await table({ method: "PUT", path: "/headers", query: "comp=acl" }, 204, empty);
      await table({ path: "/headers", query: "comp=acl" }, 200, {});
    });

    test("tables: an OData error has its code in the body only", async () => {
      const again = { method: "POST", path: "/headers", body: entity };
      await table(again, 409, odata);
      await table({ ...again, ...prefer(quiet) }, 409, { ...odata, "preference-applied": quiet });
      await table({ path: entityPath("headers", "p", "none") }, 404, odata);
      // What is refused before the operation begins says nothing about caches and preferences.
      const early = { "x-content-type-options": "nosniff" };
      await table({ path: entityPath("nowhere", "p", "r") }, 404, early);
      await table({ ...again, path: "/nowhere", ...prefer(quiet) }, 404, early);
      await table({ ...again, body: "{" }, 400, early);
    });

    test("tables: a refused caller, an XML operation and a HEAD have x-ms-error-code", async () => {
      const unsigned = { isUnsigned: true, headers: { Authorization: "SharedKey devstoreaccount1:bm8=" } };
      await table({ path: "/Tables", ...unsigned }, 403, { "x-ms-error-code": "AuthenticationFailed" });
      const acl = { path: "/nowhere", query: "comp=acl" };
      await table(acl, 404, { "x-ms-error-code": "ResourceNotFound" });
      await table({ ...acl, method: "HEAD" }, 404, { "x-ms-error-code": "ResourceNotFound" });
    });

    const partsOfBatch = async (request: RawRequest): Promise<string> => {
      const { status, body, headers } = await send(server, request);
      assert.equal(status, 202, body);
      assert.equal(headers.dataserviceversion, undefined);
      return body;
    };
    const heads = (body: string): string[] =>
      body.split("HTTP/1.1 ").map((part) => part.slice(0, part.indexOf("\r\n\r\n")));

    test("tables: the parts of a batch name their version of OData and their preference", async () => {
      const insert = { method: "POST", path: "/headers", body: '{"PartitionKey":"b","RowKey":"1"}' };
      const put = { method: "PUT", path: entityPath("headers", "b", "2"), body: "{}" };
      const quietly = { headers: { Prefer: quiet } };
      const [, first, second] = heads(
        await partsOfBatch(changeSet(server, [{ ...insert, ...quietly }, put])),
      );
      assert.match(first!, /^204 .*DataServiceVersion: 3\.0;/s);
      assert.match(first!, /Preference-Applied: return-no-content/);
      assert.match(second!, /^204 .*DataServiceVersion: 1\.0;/s);
      assert.doesNotMatch(`${first}${second}`, /Content-Length/);

      const [, refused] = heads(await partsOfBatch(changeSet(server, [{ ...insert, ...quietly }])));
      assert.match(refused!, /^409 .*Cache-Control: no-cache/s);
      assert.match(refused!, /Preference-Applied: return-no-content/);
      const missing = changeSet(server, [{ ...insert, path: "/nowhere", ...quietly }]);
      const [, early] = heads(await partsOfBatch(missing));
      assert.match(early!, /^404 .*DataServiceVersion: 3\.0;/s);
      assert.doesNotMatch(early!, /Cache-Control|Preference-Applied/);
    });

    test("tables: the index of a refused part stands before its message, with exceptions", async () => {
      const insert = { method: "POST", path: "/headers", body: '{"PartitionKey":"b","RowKey":"1"}' };
      const other = { ...insert, body: '{"PartitionKey":"b","RowKey":"3"}' };
      assert.match(await partsOfBatch(changeSet(server, [insert])), /"value":"The specified entity already/);
      assert.match(await partsOfBatch(changeSet(server, [other, insert])), /"value":"1:The specified entity/);
      const missing = { method: "GET", path: entityPath("headers", "b", "none") };
      assert.match(await partsOfBatch(batchQuery(server, missing)), /"value":"0:The specified resource/);
    });
  });
}
