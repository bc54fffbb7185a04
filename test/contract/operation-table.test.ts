import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { BLOB_OPERATIONS } from "../../src/http/blob/operations.ts";
import type { Query, ServiceName } from "../../src/http/exchange.ts";
import { FILE_OPERATIONS } from "../../src/http/file/operations.ts";
import type { Operation, OperationTable } from "../../src/http/operation.ts";
import { readQuery } from "../../src/http/query.ts";
import { QUEUE_OPERATIONS } from "../../src/http/queue/operations.ts";
import { Router } from "../../src/http/router.ts";
import { TABLE_OPERATIONS } from "../../src/http/table/operations.ts";
import { send } from "../kit/send.ts";
import { startTestServer, type TestServer } from "../kit/server.ts";

/**
 * Walks the four operation tables: what a row says must be what the server does. Rows are added by writing
 * them; this test needs no change for that.
 */
type AnyTable = OperationTable<never>;
const TABLES = [
  BLOB_OPERATIONS,
  QUEUE_OPERATIONS,
  TABLE_OPERATIONS,
  FILE_OPERATIONS,
] as unknown as AnyTable[];

const ACCOUNT_LETTERS = /^[rwdxylacuptfi]+$/;
const SERVICE_LETTERS = /^[racwdxyltfmeopiu]+$/;

/** A path of the kind of resource that a row is about. */
const PATHS: Record<ServiceName, Partial<Record<string, string>>> = {
  blob: { service: "", container: "some", blob: "some/blob" },
  queue: {
    service: "",
    queue: "some-queue",
    messages: "some-queue/messages",
    message: "some-queue/messages/id",
  },
  table: {
    service: "",
    tables: "Tables",
    tableItem: "Tables('some')",
    table: "some",
    entity: "some(PartitionKey='p',RowKey='r')",
    batch: "$batch",
  },
  file: { service: "", share: "some-share", directory: "some-share/dir", file: "some-share/dir/file" },
};

function queryOf({ query = {} }: Operation<never>): { text: string; query: Query } {
  const text = Object.entries(query)
    .map(([name, value]) => `${name}=${value === true ? "x" : encodeURIComponent(value)}`)
    .join("&");
  return { text, query: readQuery(text) };
}

function headersOf({ header = {} }: Operation<never>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(header).map(([name, value]) => [name, value === true ? "x" : value]),
  );
}

for (const table of TABLES) {
  suite(`the ${table.service} operation table`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer();
    });
    after(() => server.close());

    test("names each operation once", () => {
      const names = table.operations.map(({ name }) => name);
      assert.deepEqual(names, [...new Set(names)]);
    });

    test("asks for permissions that exist", () => {
      for (const { name, permission, ok, bodyBytesMax, body } of table.operations) {
        for (const letters of permission.account) assert.match(letters, ACCOUNT_LETTERS, name);
        for (const letters of permission.service) assert.match(letters, SERVICE_LETTERS, name);
        assert(
          ok.every((status) => status >= 200 && status < 300),
          name,
        );
        assert(body === "none" || bodyBytesMax > 0, `${name} takes a body of no bytes`);
      }
    });

    test("leads a request of each row to that row", () => {
      const router = new Router(table);
      for (const operation of table.operations) {
        if (operation.method === "OPTIONS") continue;
        const path = PATHS[table.service][operation.resource];
        if (path === undefined) continue;
        const { query } = queryOf(operation);
        const { method } = operation;
        const found = router.find({ method, target: { path }, query, headers: headersOf(operation) });
        assert.equal(found.name, operation.name);
      }
    });

    test("is closed to callers without a signature, row by row", async () => {
      for (const operation of table.operations) {
        const path = PATHS[table.service][operation.resource];
        if (operation.permission.isOpen === true || path === undefined) continue;
        const { text } = queryOf(operation);
        const target = `/${server.account}${path === "" ? "" : `/${encodeURI(path)}`}${text === "" ? "" : `?${text}`}`;
        const headers = { ...headersOf(operation), "x-ms-version": "2025-01-05" };
        const request = { service: table.service, method: operation.method, path: "", target, headers };
        const reply = await send(server, { ...request, isAnonymous: true });
        assert([401, 403, 404].includes(reply.status), `${operation.name} answered ${reply.status}`);
      }
    });

    test("gives and takes service properties", async () => {
      const root = { service: table.service, path: "", query: { restype: "service", comp: "properties" } };
      const body = Buffer.from(
        "<StorageServiceProperties><HourMetrics><Version>1.0</Version><Enabled>true</Enabled>" +
          "<IncludeAPIs>true</IncludeAPIs><RetentionPolicy><Enabled>true</Enabled><Days>9</Days></RetentionPolicy>" +
          "</HourMetrics></StorageServiceProperties>",
      );
      const set = await send(server, { ...root, method: "PUT", body });
      assert.equal(set.status, 202, set.body);
      const got = await send(server, { ...root, method: "GET" });
      assert.equal(got.status, 200, got.body);
      assert.match(got.body, /<HourMetrics>.*<Days>9<\/Days>/);
      assert.equal(got.headers["x-ms-version"], "2025-01-05");
    });
  });
}
