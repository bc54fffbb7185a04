import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { send } from "../kit/send.ts";
import { startTestServer, type TestServer } from "../kit/server.ts";

/** The texts of lease refusals speak of what was leased: there are clients that show them to people. */
const ID = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa";
const OTHER = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb";

interface Leasable {
  readonly name: string;
  readonly service: "blob" | "file";
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

const CONTAINER: Leasable = {
  name: "container",
  service: "blob",
  path: "/texts",
  query: { restype: "container" },
};
const BLOB: Leasable = { name: "blob", service: "blob", path: "/texts/b", query: {} };
const SHARE: Leasable = { name: "file share", service: "file", path: "/texts", query: { restype: "share" } };
const FILE: Leasable = { name: "file", service: "file", path: "/texts/f", query: {} };
const ALL = [CONTAINER, BLOB, SHARE, FILE];

let server: TestServer;
before(async () => {
  server = await startTestServer();
  await ask(CONTAINER, "PUT");
  await ask(BLOB, "PUT", { "x-ms-blob-type": "BlockBlob" });
  await ask(SHARE, "PUT");
  await ask(FILE, "PUT", { "x-ms-type": "file", "x-ms-content-length": "0" });
});
after(() => server.close());

async function ask(
  { service, path, query }: Leasable,
  method: string,
  headers: Readonly<Record<string, string>> = {},
  comp: Readonly<Record<string, string>> = {},
): Promise<string> {
  const reply = await send(server, {
    service,
    method,
    path,
    query: { ...query, ...comp },
    headers: { "x-ms-version": "2025-01-05", ...headers },
    ...(method === "PUT" ? { body: Buffer.alloc(0) } : {}),
  });
  return /<Message>(.*)\n/.exec(reply.body)?.[1] ?? String(reply.status);
}

const lease = (of: Leasable, action: string, headers: Readonly<Record<string, string>>): Promise<string> =>
  ask(of, "PUT", { "x-ms-lease-action": action, ...headers }, { comp: "lease" });

for (const of of ALL.toReversed()) {
  test(`a refusal about the lease of a ${of.name} calls it so`, async () => {
    assert.equal(await lease(of, "break", {}), `There is currently no lease on the ${of.name}.`);
    const acquired = { "x-ms-lease-duration": "-1", "x-ms-proposed-lease-id": ID };
    assert.equal(await lease(of, "acquire", acquired), "201");
    assert.equal(
      await lease(of, "release", { "x-ms-lease-id": OTHER }),
      `The lease ID specified did not match the lease ID for the ${of.name}.`,
    );
    assert.equal(
      await ask(of, "DELETE"),
      `There is currently a lease on the ${of.name} and no lease ID was specified in the request.`,
    );
    assert.equal(
      await ask(of, "DELETE", { "x-ms-lease-id": OTHER }),
      `The lease ID specified did not match the lease ID for the ${of.name}.`,
    );
    assert.equal(await lease(of, "break", of === FILE ? {} : { "x-ms-lease-break-period": "0" }), "202");
    assert.equal(
      await ask(of, "DELETE", { "x-ms-lease-id": ID }),
      `A lease ID was specified, but the lease for the ${of.name} has expired.`,
    );
    assert.equal(await ask(of, "DELETE"), "202");
    if (of === BLOB || of === FILE) return;
    assert.equal(
      await ask(of, "GET"),
      `The specified ${of === SHARE ? "share" : "container"} does not exist.`,
    );
  });
}
