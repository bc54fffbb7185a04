import assert from "node:assert/strict";
import { test } from "node:test";
import { type Log, silentLog } from "../../observability/log.ts";
import { ClearTextWarning, type Link } from "./clear-text-warning.ts";

function warningsFor(links: readonly Link[]): string[] {
  const said: string[] = [];
  const log: Log = { ...silentLog, warn: (_, message) => said.push(message) };
  const warning = new ClearTextWarning(log);
  for (const link of links) warning.check(link, "db:5432");
  return said;
}

test("a connection that crosses a network in clear is warned of once", () => {
  const far = { remoteAddress: "10.1.2.3" };
  const said = warningsFor([far, far, { remoteAddress: "2001:db8::1" }]);
  assert.equal(said.length, 1);
  assert.match(said[0]!, /db:5432 is not encrypted.*sslmode=verify-full/);
  assert.equal(warningsFor([{ remoteAddress: "::ffff:10.0.0.1" }]).length, 1);
});

test("an encrypted connection, one to this machine and a local socket are not warned of", () => {
  const near = ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", undefined];
  const links = near.map((remoteAddress) => ({ remoteAddress }));
  assert.deepEqual(warningsFor([...links, { remoteAddress: "10.1.2.3", encrypted: true }]), []);
});
