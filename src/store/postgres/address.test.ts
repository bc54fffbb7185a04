import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDatabaseAddress } from "./address.ts";

test("an address names hosts, database, user, password and schema", () => {
  const address = parseDatabaseAddress(
    "postgres://an%40na:p%3Aq:r@one,two:6000,[::1]:7000/data?schema=files",
  );
  assert.deepEqual(address.hosts, [
    { host: "one", port: 5_432 },
    { host: "two", port: 6_000 },
    { host: "::1", port: 7_000 },
  ]);
  assert.equal(address.user, "an@na");
  assert.equal(address.password, "p:q:r");
  assert.equal(address.database, "data");
  assert.equal(address.schema, "files");
});

test("what is left out has a default, and what is shown has no password", () => {
  const address = parseDatabaseAddress("postgresql://me:secret@db");
  assert.deepEqual(address.hosts, [{ host: "db", port: 5_432 }]);
  assert.equal(address.database, "postgres");
  assert.equal(address.schema, "holdfast");
  assert.equal(address.shown, "postgres://db:5432/postgres");
});

test("TLS follows the words of libpq", () => {
  const tls = (query: string) => parseDatabaseAddress(`postgres://db/x?${query}`).tls;
  assert.equal(tls("sslmode=disable"), false);
  for (const query of ["", "sslmode=prefer"]) {
    const preferred = tls(query);
    assert.ok(preferred !== false && !preferred.isRequired && !preferred.settings.rejectUnauthorized, query);
  }
  const required = tls("sslmode=require");
  assert.ok(required !== false && required.isRequired && !required.settings.rejectUnauthorized);
  const checked = tls("sslmode=verify-ca");
  assert.ok(checked !== false && checked.isRequired && checked.settings.rejectUnauthorized);
  assert.ok(checked.settings.checkServerIdentity !== undefined);
  const named = tls("sslmode=verify-full");
  assert.ok(named !== false && named.isRequired && named.settings.rejectUnauthorized);
  assert.ok(named.settings.checkServerIdentity === undefined);
});

for (const [address, message] of [
  ["postgres://db:0/x", /a port from 1 to 65535/],
  ["postgres://db/x?schema=A", /expected a schema/],
  ["postgres://db/x?schema=a;drop", /expected a schema/],
  ["postgres://db/x?sslmode=allow", /expected sslmode disable, prefer, require/],
  ["postgres://db/x?sslrootcert=/nowhere/ca.pem", /cannot read sslrootcert/],
  ["postgres://db/x?target_session_attrs=any", /every read is made on the primary/],
  ["postgres://db/x?connections=0", /connections from 1/],
  ["postgres://db/x?colour=blue", /does not know the option colour/],
  ["postgres://db/%E0%A4%A", /percent-encoding/],
] as const) {
  test(`refused with a reason: ${address}`, () => {
    assert.throws(() => parseDatabaseAddress(address), message);
  });
}
