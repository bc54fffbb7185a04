import { LIMITS } from "../../base/limits.ts";
import type { Prepared } from "./wire.ts";

/**
 * The statements, which each connection prepares when it opens, so that a request only binds values. They
 * avoid features that CockroachDB and YugabyteDB lack: they use arrays, ON CONFLICT, ORDER BY with LIMIT.
 */
export interface SpaceTables {
  readonly records: string;
  readonly outcomes: string;
}

/** The tables, named as the stored schema names them. */
export function tablesOf(schema: string) {
  const table = (name: string): string => `${schema}.${name}`;
  return {
    info: table("facts"),
    members: table("nodes"),
    chunks: table("chunks"),
    records: { records: table("records"), outcomes: table("outcomes") },
    ephemeral: { records: table("passing"), outcomes: table("passing_outcomes") },
  };
}

export type Tables = ReturnType<typeof tablesOf>;

/** Statements that begin and end transactions. */
export const TRANSACTION_STATEMENTS: readonly Prepared[] = [
  { name: "begin_write", text: "BEGIN ISOLATION LEVEL SERIALIZABLE" },
  { name: "begin_plain", text: "BEGIN ISOLATION LEVEL READ COMMITTED" },
  { name: "begin_read", text: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" },
  { name: "ping", text: "SELECT 1" },
  { name: "commit", text: "COMMIT" },
  { name: "rollback", text: "ROLLBACK" },
  { name: "long_statements", text: `SET LOCAL statement_timeout = ${LIMITS.longStatementMillis}` },
  { name: "no_sync", text: "SET LOCAL synchronous_commit = off" },
];

export function spaceStatements({ records, outcomes }: SpaceTables): Prepared[] {
  const page = "WHERE key >= $1::bytea AND key < $2::bytea ORDER BY key";
  return [
    { name: "get_many", text: `SELECT key, value FROM ${records} WHERE key = ANY($1::bytea[])` },
    { name: "page_up", text: `SELECT key, value FROM ${records} ${page} LIMIT $3::bigint` },
    { name: "page_down", text: `SELECT key, value FROM ${records} ${page} DESC LIMIT $3::bigint` },
    {
      name: "put",
      text:
        `INSERT INTO ${records} (key, value) SELECT * FROM unnest($1::bytea[], $2::bytea[]) ` +
        "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    },
    { name: "delete", text: `DELETE FROM ${records} WHERE key = ANY($1::bytea[])` },
    // Fails with a conflict when one of them has changed since the snapshot; blocks changes until the commit.
    {
      name: "lock_read",
      text: `SELECT 1 FROM ${records} WHERE key = ANY($1::bytea[]) ORDER BY key FOR SHARE`,
    },
    { name: "outcome", text: `INSERT INTO ${outcomes} (op, is_void) VALUES ($1::bytea, false)` },
    // Waits for the transaction in doubt, if it still runs: either its row exists, or this one keeps it out
    // for ever. The update makes a commit of its own, so that with synchronous replication a standby confirms
    // the answer too.
    {
      name: "resolve_in_doubt",
      text:
        `INSERT INTO ${outcomes} (op, is_void) VALUES ($1::bytea, true) ` +
        "ON CONFLICT (op) DO UPDATE SET at = now() RETURNING is_void",
    },
  ];
}

export function chunkStatements({ chunks }: Tables): Prepared[] {
  return [
    {
      name: "write_chunks",
      text:
        `INSERT INTO ${chunks} (extent, start, data) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[]) ` +
        "ON CONFLICT (extent, start) DO UPDATE SET data = excluded.data",
    },
    // From the row with the first byte to the row with the last, cut to the range.
    {
      name: "read_chunks",
      text:
        "SELECT greatest(start, $2::bigint), substring(data FROM (greatest($2::bigint - start, 0) + 1)::int " +
        `FOR ($3::bigint - greatest(start, $2::bigint))::int) FROM ${chunks} WHERE extent = $1::bigint AND ` +
        "start < $3::bigint AND start >= COALESCE((SELECT max(start) FROM " +
        `${chunks} WHERE extent = $1::bigint AND start <= $2::bigint), 0) ORDER BY start`,
    },
    {
      name: "extent_size",
      text: `SELECT start + length(data) FROM ${chunks} WHERE extent = $1::bigint ORDER BY start DESC LIMIT 1`,
    },
    {
      name: "list_extents",
      text: `SELECT extent, max(start + length(data)) FROM ${chunks} GROUP BY extent`,
    },
    {
      name: "remove_chunks",
      text:
        `DELETE FROM ${chunks} WHERE extent = $1::bigint AND start IN ` +
        `(SELECT start FROM ${chunks} WHERE extent = $1::bigint ORDER BY start LIMIT $2::bigint)`,
    },
  ];
}
