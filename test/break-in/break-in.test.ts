import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { breakIn } from "./break-in.ts";
import { isRefused, Ledger } from "./ledger.ts";

test("nobody gets in without a right to", async (t) => {
  const ledger = await breakIn();
  t.diagnostic(`${ledger.attempts} attempts beside ${ledger.live} honest requests`);
  assert.deepEqual(ledger.accepted, []);
  assert.ok(ledger.attempts > 5_000, `only ${ledger.attempts} attempts`);
  assert.ok(ledger.live > 50, `only ${ledger.live} honest requests`);
});

test("a door that lets everybody in is noticed, and so is one that lets nobody in", async (t) => {
  let status = 200;
  const frontEnd = createServer((_, reply) => reply.writeHead(status).end("come in"));
  t.after(() => {
    frontEnd.closeAllConnections();
    frontEnd.close();
  });
  await new Promise<void>((resolve) => frontEnd.listen(0, "127.0.0.1", resolve));
  const { port } = frontEnd.address() as AddressInfo;
  const sent = { port, method: "GET", target: "/a?sig=x" };
  const ledger = new Ledger();
  await ledger.good("honest", sent);
  await ledger.tryAll("forged", [sent, { ...sent, method: "DELETE" }]);
  assert.equal(ledger.accepted.length, 2);
  status = 403;
  await assert.rejects(ledger.good("honest", sent), /the honest request got 403/);
});

test("that something does not exist is told only to those who may know", () => {
  assert.ok(isRefused({ status: 404, code: "ResourceNotFound", body: "" }));
  assert.ok(!isRefused({ status: 404, code: "BlobNotFound", body: "" }));
  assert.ok(!isRefused({ status: 412, code: "ConditionNotMet", body: "" }));
});
