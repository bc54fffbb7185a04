import type pg from "pg";
import { pause } from "../../base/clock.ts";
import { UnusableDirectory } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Log } from "../../observability/log.ts";
import { withChecksum } from "../records/checksum.ts";
import { type ConnectOptions, connectClient, endClient, NotPrimary, TIME_LIMITS, within } from "./connect.ts";
import { failureOf, reasonOf } from "./failures.ts";
import { type Tables, tablesOf } from "./sql.ts";
import { WaitReport } from "./wait-report.ts";

/**
 * The version of the tables. A newer program migrates older tables; an older program refuses newer ones. 2:
 * records have checksums.
 */
const SCHEMA_VERSION = 2;

/** Records that get their checksums together. */
const UPGRADE_RECORDS = 1_000;

/** An arbitrary number, which no other user of this database may lock. */
const SCHEMA_LOCK = 4_870_273_315;

export interface SchemaOptions extends ConnectOptions {
  readonly log: Log;
  /** The store was closed: no caller waits for the database. */
  readonly isAbandoned: () => boolean;
}

/**
 * Creates or migrates the tables; one member at a time. Waits for an unreachable database without limit: it
 * may start after this process, or be in a failover. Throws errors that waiting cannot change (a wrong
 * password, a missing database) at once.
 */
export async function prepareSchema(options: SchemaOptions): Promise<void> {
  const { address, log, isAbandoned } = options;
  const report = new WaitReport(log, `waiting for the database ${address.shown}`);
  try {
    for (;;) {
      try {
        await onPrimary(options, (client) => prepare(client, address.schema));
        return;
      } catch (error) {
        if (failureOf(error) !== "gone" || isAbandoned()) throw error;
        report.reason = reasonOf(error);
        await pause(LIMITS.databaseRetryMillis);
      }
    }
  } finally {
    report.end();
  }
}

/** Upgrades the records of an older version, which may take long. */
type Upgrade = () => Promise<void>;

async function onPrimary(
  options: SchemaOptions,
  use: (client: pg.Client) => Promise<Upgrade | undefined>,
): Promise<void> {
  let reason: unknown;
  for (const { host, port } of options.address.hosts) {
    let client: pg.Client | undefined;
    try {
      client = await connectClient({ ...options, host, port });
      const open = client;
      const upgrade = await within(
        open,
        { millis: LIMITS.schemaMillis, place: `${host}:${port}` },
        async () => {
          await open.query(TIME_LIMITS);
          const { rows } = await open.query("SELECT pg_is_in_recovery() AS is_standby");
          if (rows[0]?.is_standby === true) throw new NotPrimary(`${host}:${port} is a standby`);
          return use(open);
        },
      );
      await upgrade?.();
      return;
    } catch (error) {
      reason = error;
      if (failureOf(error) !== "gone") break;
    } finally {
      if (client !== undefined) await endClient(client);
    }
  }
  throw reason;
}

async function prepare(client: pg.Client, schema: string): Promise<Upgrade | undefined> {
  const tables = tablesOf(schema);
  // The usual case, for a member that joins others.
  if ((await readVersion(client, schema, tables)) === SCHEMA_VERSION) return undefined;
  const isPostgres = /^PostgreSQL/.test((await client.query("SELECT version() AS version")).rows[0].version);
  await client.query("SET lock_timeout = 0; SET statement_timeout = 0");
  await client.query("BEGIN");
  if (isPostgres) await client.query(`SELECT pg_advisory_xact_lock(${SCHEMA_LOCK})`);
  const version = await readVersion(client, schema, tables);
  if (version !== undefined && version > SCHEMA_VERSION) {
    throw new UnusableDirectory(
      `the tables in ${schema} have version ${version}; this build supports version ${SCHEMA_VERSION}`,
    );
  }
  if (version === undefined)
    for (const text of creation(schema, tables, isPostgres)) await client.query(text);
  else if (version < SCHEMA_VERSION) return () => addChecksums(client, schema, tables);
  await client.query("COMMIT");
  return undefined;
}

/** From version 1, whose members would take a checksum for a part of the record: none of them may run. */
async function addChecksums(client: pg.Client, schema: string, tables: Tables): Promise<void> {
  const { info, members, records, ephemeral } = tables;
  const readBeats = async (): Promise<string> => {
    const alive = `SELECT slot, beat FROM ${members} WHERE state = 'alive' ORDER BY slot`;
    return JSON.stringify((await client.query(alive)).rows);
  };
  const beats = await readBeats();
  await pause(LIMITS.heartbeatMillis * LIMITS.missedBeatsMax);
  if ((await readBeats()) !== beats) {
    throw new UnusableDirectory(
      `an older Holdfast uses the tables in ${schema}: stop all members to upgrade them`,
    );
  }
  for (let after: Buffer = Buffer.alloc(0); ; ) {
    const { rows } = await client.query<{ key: Buffer; value: Buffer }>(
      `SELECT key, value FROM ${records.records} WHERE key > $1::bytea ORDER BY key LIMIT ${UPGRADE_RECORDS}`,
      [after],
    );
    if (rows.length === 0) break;
    const values = rows.map(({ key, value }) => withChecksum(key.latin1Slice(), value));
    await client.query(
      `UPDATE ${records.records} AS r SET value = u.value ` +
        "FROM unnest($1::bytea[], $2::bytea[]) AS u (key, value) WHERE r.key = u.key",
      [rows.map(({ key }) => key), values],
    );
    after = rows.at(-1)!.key;
  }
  // Their owners have ended.
  await client.query(`DELETE FROM ${ephemeral.records}`);
  await client.query(`UPDATE ${info} SET value = '${SCHEMA_VERSION}' WHERE name = 'version'`);
  await client.query("COMMIT");
}

async function readVersion(client: pg.Client, schema: string, { info }: Tables): Promise<number | undefined> {
  // Not to_regclass(): its cache may be older than the wait for the lock.
  const made = "SELECT 1 FROM information_schema.tables WHERE table_schema = $1 AND table_name = 'facts'";
  if ((await client.query(made, [schema])).rows.length === 0) return undefined;
  const found = await client.query(`SELECT value FROM ${info} WHERE name = 'version'`);
  return found.rows.length === 0 ? undefined : Number(found.rows[0].value);
}

function creation(schema: string, tables: Tables, isPostgres: boolean): string[] {
  const { info, members, chunks, records, ephemeral } = tables;
  const space = (unlogged: string, { records, outcomes }: Tables["records"]): string[] => [
    `CREATE ${unlogged} TABLE ${records} (key bytea PRIMARY KEY, value bytea NOT NULL)`,
    `CREATE ${unlogged} TABLE ${outcomes} (op bytea PRIMARY KEY, is_void boolean NOT NULL, ` +
      "at timestamptz NOT NULL DEFAULT now())",
  ];
  const statements = [
    `CREATE SCHEMA IF NOT EXISTS ${schema}`,
    `CREATE TABLE ${info} (name text PRIMARY KEY, value text NOT NULL)`,
    `CREATE TABLE ${members} (slot bigint PRIMARY KEY, owner text NOT NULL, state text NOT NULL, ` +
      "beat bigint NOT NULL, last bigint NOT NULL, reserved bigint NOT NULL)",
    `CREATE TABLE ${chunks} (extent bigint NOT NULL, start bigint NOT NULL, data bytea NOT NULL, ` +
      "PRIMARY KEY (extent, start))",
    ...space("", records),
    ...space(isPostgres ? "UNLOGGED" : "", ephemeral),
  ];
  if (isPostgres) {
    // Compressing payload costs more than it saves.
    for (const [table, column] of [
      [chunks, "data"],
      [records.records, "value"],
      [ephemeral.records, "value"],
    ]) {
      statements.push(`ALTER TABLE ${table} ALTER COLUMN ${column} SET STORAGE EXTERNAL`);
    }
  }
  return [...statements, `INSERT INTO ${info} (name, value) VALUES ('version', '${SCHEMA_VERSION}')`];
}
