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

/** Statements by the names they are prepared under. */
export function prepared(texts: Readonly<Record<string, string>>): Prepared[] {
  return Object.entries(texts).map(([name, text]) => ({ name, text }));
}

/** Statements that begin and end transactions. */
export const TRANSACTION_STATEMENTS = prepared({
  begin_write: "BEGIN ISOLATION LEVEL SERIALIZABLE",
  begin_plain: "BEGIN ISOLATION LEVEL READ COMMITTED",
  begin_read: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
  ping: "SELECT 1",
  commit: "COMMIT",
  rollback: "ROLLBACK",
  long_statements: `SET LOCAL statement_timeout = ${LIMITS.longStatementMillis}`,
  no_sync: "SET LOCAL synchronous_commit = off",
});

export function spaceStatements({ records, outcomes }: SpaceTables): Prepared[] {
  const page = "WHERE key >= $1::bytea AND key < $2::bytea ORDER BY key";
  return prepared({
    get_many: `SELECT key, value FROM ${records} WHERE key = ANY($1::bytea[])`,
    page_up: `SELECT key, value FROM ${records} ${page} LIMIT $3::bigint`,
    page_down: `SELECT key, value FROM ${records} ${page} DESC LIMIT $3::bigint`,
    put:
      `INSERT INTO ${records} (key, value) SELECT * FROM unnest($1::bytea[], $2::bytea[]) ` +
      "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    delete: `DELETE FROM ${records} WHERE key = ANY($1::bytea[])`,
    // Fails with a conflict when one of them has changed since the snapshot; blocks changes until the commit.
    lock_read: `SELECT 1 FROM ${records} WHERE key = ANY($1::bytea[]) ORDER BY key FOR SHARE`,
    outcome: `INSERT INTO ${outcomes} (op, is_void) VALUES ($1::bytea, false)`,
    // Waits for the transaction in doubt, if it still runs: either its row exists, or this one keeps it out
    // for ever. The update makes a commit of its own, so that with synchronous replication a standby confirms
    // the answer too.
    resolve_in_doubt:
      `INSERT INTO ${outcomes} (op, is_void) VALUES ($1::bytea, true) ` +
      "ON CONFLICT (op) DO UPDATE SET at = now() RETURNING is_void",
  });
}

export function chunkStatements({ chunks }: Tables): Prepared[] {
  const ofExtent = `FROM ${chunks} WHERE extent = $1::bigint`;
  return prepared({
    write_chunks:
      `INSERT INTO ${chunks} (extent, start, data) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[]) ` +
      "ON CONFLICT (extent, start) DO UPDATE SET data = excluded.data",
    // From the row with the first byte to the row with the last, cut to the range.
    read_chunks:
      "SELECT greatest(start, $2::bigint), substring(data FROM (greatest($2::bigint - start, 0) + 1)::int " +
      `FOR ($3::bigint - greatest(start, $2::bigint))::int) ${ofExtent} AND start < $3::bigint AND ` +
      `start >= COALESCE((SELECT max(start) ${ofExtent} AND start <= $2::bigint), 0) ORDER BY start`,
    extent_size: `SELECT start + length(data) ${ofExtent} ORDER BY start DESC LIMIT 1`,
    list_extents: `SELECT extent, max(start + length(data)) FROM ${chunks} GROUP BY extent`,
    remove_chunks: `DELETE ${ofExtent} AND start IN (SELECT start ${ofExtent} ORDER BY start LIMIT $2::bigint)`,
  });
}
