import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { LIMITS } from "../../src/base/limits.ts";
import { freeNames } from "../../src/services/deleted-names.ts";
import { DELETED_NAMES } from "../../src/store/keys/deleted-name.ts";
import { type RawRequest, send } from "../kit/send.ts";
import { ENGINES, startTestServer, type TestServer } from "../kit/server.ts";

interface Kind {
  readonly create: RawRequest;
  readonly remove: RawRequest;
  readonly code: string;
}

const json = { "Content-Type": "application/json", Accept: "application/json" };
const restype = (service: "blob" | "file", name: string, code: string): Kind => {
  const at = { service, path: "/name", query: { restype: name } };
  return { create: { ...at, method: "PUT" }, remove: { ...at, method: "DELETE" }, code };
};

const KINDS: readonly Kind[] = [
  restype("blob", "container", "ContainerBeingDeleted"),
  restype("file", "share", "ShareBeingDeleted"),
  {
    create: { service: "queue", method: "PUT", path: "/name" },
    remove: { service: "queue", method: "DELETE", path: "/name" },
    code: "QueueBeingDeleted",
  },
  {
    create: {
      service: "table",
      method: "POST",
      path: "/Tables",
      headers: json,
      body: Buffer.from('{"TableName":"Name"}'),
    },
    remove: { service: "table", method: "DELETE", path: "/Tables('name')", headers: json },
    code: "TableBeingDeleted",
  },
];

for (const engine of ENGINES) {
  suite(`--strict on ${engine}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer({ engine, flags: ["--strict"] });
    });
    after(() => server.close());

    test("a share that is being deleted accepts further requests to delete it", async () => {
      const { create, remove } = restype("file", "share", "ShareBeingDeleted");
      const [first, again] = [create, remove].map((request) => ({ ...request, path: "/twice" }));
      await send(server, first!);
      for (let i = 0; i < 2; i++) assert.equal((await send(server, again!)).status, 202);
      server.clock.advance(LIMITS.deletionMillis);
      assert.equal((await send(server, again!)).code, "ShareNotFound");
    });

    for (const { create, remove, code } of KINDS)
      test(`a deleted name stays in use for 30 seconds: ${code}`, async () => {
        assert.equal((await send(server, create)).status, 201);
        assert.ok((await send(server, remove)).status < 300);
        const refused = await send(server, create);
        assert.deepEqual([refused.status, refused.code], [409, code]);
        assert.match(refused.body, /is being deleted/);
        server.clock.advance(LIMITS.deletionMillis - 1);
        assert.equal((await send(server, create)).code, code);
        server.clock.advance(1);
        assert.equal((await send(server, create)).status, 201);
      });

    test("a job removes the records of names that are free again", async () => {
      const { store } = server.runtime.parts;
      const count = () => store.read(async (read) => (await read.take(DELETED_NAMES, 10)).length);
      const { create, remove } = KINDS[2]!;
      await send(server, create);
      await send(server, remove);
      const before = await count();
      assert.ok(before > 0);
      const job = freeNames({ store });
      server.clock.advance(LIMITS.deletionMillis - 1);
      assert.equal(await job.run(), "done");
      assert.equal(await count(), 1);
      server.clock.advance(1);
      assert.equal(await job.run(), "done");
      assert.equal(await count(), 0);
    });

    test("a version that Azure does not know is refused, and a published one is served", async () => {
      const list = { service: "queue", method: "GET", path: "/", query: { comp: "list" } } as const;
      const unknown = await send(server, { ...list, headers: { "x-ms-version": "2031-12-31" } });
      assert.deepEqual([unknown.status, unknown.code], [400, "InvalidHeaderValue"]);
      assert.match(unknown.body, /<HeaderName>x-ms-version<\/HeaderName><HeaderValue>2031-12-31</);
      assert.equal((await send(server, { ...list, headers: { "x-ms-version": "2026-10-06" } })).status, 200);
    });
  });

  suite(`without --strict on ${engine}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer({ engine });
    });
    after(() => server.close());

    for (const { create, remove, code } of KINDS)
      test(`a deleted name is free at once, instead of ${code}`, async () => {
        assert.equal((await send(server, create)).status, 201);
        assert.ok((await send(server, remove)).status < 300);
        assert.equal((await send(server, create)).status, 201);
      });
  });
}
