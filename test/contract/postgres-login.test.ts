import assert from "node:assert/strict";
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { TestDatabase } from "../kit/postgres.ts";
import { runProgram } from "../kit/program.ts";
import { putAll, readText } from "./store/kit.ts";

/** A database that takes a user with a password, over TLS, and no other way. */
const certificates = fileURLToPath(new URL("../kit/certificates/", import.meta.url));
const CERTIFICATE = join(certificates, "cert.pem");
let database: TestDatabase;

before(async () => {
  database = await TestDatabase.create();
  copyFileSync(CERTIFICATE, join(database.data, "server.crt"));
  copyFileSync(join(certificates, "key.pem"), join(database.data, "server.key"));
  chmodSync(join(database.data, "server.key"), 0o600);
  const rules = join(database.data, "pg_hba.conf");
  const guarded = [
    "hostssl all guarded 127.0.0.1/32 scram-sha-256",
    "host all guarded 127.0.0.1/32 reject",
    "hostssl all open 127.0.0.1/32 reject",
    readFileSync(rules, "utf8"),
  ];
  writeFileSync(rules, guarded.join("\n"));
  database.own();
  await database.query(
    "CREATE ROLE guarded LOGIN PASSWORD 'p@ss:word'",
    "CREATE ROLE open LOGIN",
    "GRANT CREATE ON DATABASE postgres TO guarded, open",
    "ALTER SYSTEM SET ssl = on",
    "SELECT pg_reload_conf()",
  );
});

after(() => database.remove());

async function trying(login: string, query: string): Promise<void> {
  const address = `postgres://${login}@${database.host}/postgres?schema=${login.split(":")[0]}&${query}`;
  const store = new PostgresStore({ address, owner: "test", onFatal: () => {} });
  try {
    await store.opened;
    await putAll(store, { a: "over TLS" });
    assert.equal(await readText(store, "a"), "over TLS");
  } finally {
    await store.close();
  }
}

test("a database that cannot be used is one line on stderr, without the password", async () => {
  const { code, stderr } = await runProgram([
    "--store",
    `postgres://holdfast:secret@${database.host}/nowhere`,
  ]);
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^holdfast: postgres:\/\/127\.0\.0\.1:\d+\/nowhere cannot be used: .*does not exist\n$/,
  );
});

const LOGIN = "guarded:p%40ss%3Aword";

test("a wrong password is one line on stderr and the end, as waiting would not help", async () => {
  const { code, stderr } = await runProgram([
    "--store",
    `postgres://guarded:secret@${database.host}/postgres?schema=guarded`,
  ]);
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^holdfast: postgres:\/\/[^\n]* cannot be used: password authentication failed[^\n]*\n$/,
  );
  assert.doesNotMatch(stderr, /secret/);
});

test("TLS is used where the server offers it, and asked for by nothing", async () => {
  // The rules of the database let this user in over TLS alone.
  await trying(LOGIN, "connections=2");
  await trying(LOGIN, "sslmode=prefer");
});

test("a user whom the server wants in clear connects so, as with libpq", async () => {
  await trying("open", "connections=2");
  await assert.rejects(trying("open", "sslmode=require"), /rejects connection/);
});

test("a password goes over TLS to any server, or only to the one its certificate names", async () => {
  await trying(LOGIN, "sslmode=require");
  await trying(LOGIN, `sslmode=verify-ca&sslrootcert=${CERTIFICATE}`);
  await trying(LOGIN, `sslmode=verify-full&sslrootcert=${CERTIFICATE}`);
});

test("a server with an untrusted certificate does not get the password", () =>
  assert.rejects(trying(LOGIN, "sslmode=verify-full"), /self-signed|certificate/i));

test("a wrong password and a connection without TLS are refused at once, with the database's reason", async () => {
  await assert.rejects(trying("guarded:wrong", "sslmode=require"), /password authentication failed/);
  await assert.rejects(trying(LOGIN, "sslmode=disable"), /rejects connection/);
});
