import type pg from "pg";
import { pause } from "../../base/clock.ts";
import { UnusableDirectory } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import type { DatabaseAddress } from "./address.ts";
import { failureOf } from "./failures.ts";
import { NotPrimary, newClient } from "./session.ts";
import { type Tables, tablesOf } from "./sql.ts";

/** The version of the tables. A newer program migrates older tables; an older program refuses newer ones. */
export const SCHEMA_VERSION = 1;

/** Any number will do, as long as nobody else on this database uses it. */
const SCHEMA_LOCK = 4_870_273_315;

/** Makes the tables, or brings them up to date; one node at a time. */
export async function prepareSchema(address: DatabaseAddress, applicationName: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await onPrimary(address, applicationName, (client) => prepare(client, address.schema));
      return;
    } catch (error) {
      // Started beside the database, or in the middle of a failover: it will be there in a moment.
      if (tries >= LIMITS.databaseStartTries || failureOf(error) !== "gone") throw error;
      await pause(LIMITS.databaseRetryMillis);
    }
  }
}

async function onPrimary(
  address: DatabaseAddress,
  applicationName: string,
  use: (client: pg.Client) => Promise<void>,
): Promise<void> {
  let reason: unknown;
  for (const { host, port } of address.hosts) {
    const client = await newClient({ address, host, port, applicationName });
    client.on("error", () => {});
    try {
      await client.connect();
      const { rows } = await client.query("SELECT pg_is_in_recovery() AS is_standby");
      if (rows[0]?.is_standby === true) throw new NotPrimary(`${host}:${port} is a standby`);
      await use(client);
      return;
    } catch (error) {
      reason = error;
      if (failureOf(error) !== "gone") break;
    } finally {
      await client.end().catch(() => {});
    }
  }
  throw reason;
}

async function prepare(client: pg.Client, schema: string): Promise<void> {
  const tables = tablesOf(schema);
  // The usual case, for a node that joins others: nothing to do, and nothing to wait for.
  if ((await readVersion(client, schema, tables)) === SCHEMA_VERSION) return;
  const isPostgres = /^PostgreSQL/.test((await client.query("SELECT version() AS version")).rows[0].version);
  await client.query("SET lock_timeout = 0; SET statement_timeout = 0");
  await client.query("BEGIN");
  if (isPostgres) await client.query(`SELECT pg_advisory_xact_lock(${SCHEMA_LOCK})`);
  const version = await readVersion(client, schema, tables);
  if (version !== undefined && version > SCHEMA_VERSION) {
    throw new UnusableDirectory(
      `the tables in ${schema} are of version ${version}: this Holdfast knows version ${SCHEMA_VERSION}`,
    );
  }
  if (version === undefined)
    for (const text of creation(schema, tables, isPostgres)) await client.query(text);
  await client.query("COMMIT");
}

async function readVersion(
  client: pg.Client,
  schema: string,
  { facts }: Tables,
): Promise<number | undefined> {
  // Not to_regclass(): it answers from a cache that may be older than the wait for the lock.
  const made = "SELECT 1 FROM information_schema.tables WHERE table_schema = $1 AND table_name = 'facts'";
  if ((await client.query(made, [schema])).rows.length === 0) return undefined;
  const found = await client.query(`SELECT value FROM ${facts} WHERE name = 'version'`);
  return found.rows.length === 0 ? undefined : Number(found.rows[0].value);
}

function creation(schema: string, tables: Tables, isPostgres: boolean): string[] {
  const { facts, nodes, chunks, records, passing } = tables;
  const space = (unlogged: string, { records, outcomes }: Tables["records"]): string[] => [
    `CREATE ${unlogged} TABLE ${records} (key bytea PRIMARY KEY, value bytea NOT NULL)`,
    `CREATE ${unlogged} TABLE ${outcomes} (op bytea PRIMARY KEY, is_void boolean NOT NULL, ` +
      "at timestamptz NOT NULL DEFAULT now())",
  ];
  const statements = [
    `CREATE SCHEMA IF NOT EXISTS ${schema}`,
    `CREATE TABLE ${facts} (name text PRIMARY KEY, value text NOT NULL)`,
    `CREATE TABLE ${nodes} (slot bigint PRIMARY KEY, owner text NOT NULL, state text NOT NULL, ` +
      "beat bigint NOT NULL, last bigint NOT NULL, reserved bigint NOT NULL)",
    `CREATE TABLE ${chunks} (extent bigint NOT NULL, start bigint NOT NULL, data bytea NOT NULL, ` +
      "PRIMARY KEY (extent, start))",
    ...space("", records),
    ...space(isPostgres ? "UNLOGGED" : "", passing),
  ];
  if (isPostgres) {
    // What clients send is rarely worth compressing, and trying costs more than it saves.
    for (const [table, column] of [
      [chunks, "data"],
      [records.records, "value"],
      [passing.records, "value"],
    ]) {
      statements.push(`ALTER TABLE ${table} ALTER COLUMN ${column} SET STORAGE EXTERNAL`);
    }
  }
  return [...statements, `INSERT INTO ${facts} (name, value) VALUES ('version', '${SCHEMA_VERSION}')`];
}
