import { errorCode, OutOfSpace, StorageFault } from "../../base/faults.ts";
import { ConnectionLost, NotPrimary } from "./connect.ts";
import { DatabaseError } from "./wire.ts";

/**
 * What a failed statement means for who sent it.
 *
 *   conflict   the transaction met another one and was undone: the same again may well succeed
 *   gone       no database behind this connection, or not the primary: try another connection
 *   full       no room: what is there stays readable, and writing goes on when there is room again
 *   other      none of these; trying again would not help
 */
export type Failure = "conflict" | "gone" | "full" | "other";

const CONFLICTS = new Set([
  "40001", // serialization_failure
  "40P01", // deadlock_detected
  "55P03", // lock_not_available: the wait for another transaction was too long
  "57014", // query_canceled: the statement took too long
]);

const GONE = new Set([
  "25006", // read_only_sql_transaction: the primary was stepped down under us
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P03", // cannot_connect_now
  "57P04", // database_dropped
  "53300", // too_many_connections
  "26000", // invalid_sql_statement_name: a pooler gave us another server connection
]);

const FULL = new Set(["53100", "53200"]);

export function failureOf(error: unknown): Failure {
  if (error instanceof ConnectionLost || error instanceof NotPrimary) return "gone";
  const code = errorCode(error);
  if (code === undefined) {
    // The package tells a connection that did not come about in words only.
    return /terminated|closed/i.test((error as Error | undefined)?.message ?? "") ? "gone" : "other";
  }
  if (CONFLICTS.has(code)) return "conflict";
  if (GONE.has(code) || code.startsWith("08")) return "gone";
  if (FULL.has(code)) return "full";
  // Of the system and of name lookups; codes of Node.js itself (ERR_TLS_CERT_ALTNAME_INVALID) do not get better.
  if (/^E(?!RR_)[A-Z_]+$/.test(code)) return "gone";
  return "other";
}

/** In words. A host with several addresses fails with an error for each of them, and no text of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "")
    return error.errors.map((one: Error) => one.message).join(", ");
  return (error as Error).message;
}

/** As the services know it: what is certain not to have happened. */
export function faultOf(error: unknown): StorageFault {
  if (error instanceof StorageFault) return error;
  const failure = failureOf(error);
  const what = {
    conflict: "too many transactions want the same records",
    gone: "the database cannot be reached",
    full: "no space left in the database",
    other: "the database refused",
  }[failure];
  const message = `${what}: ${reasonOf(error)}`;
  if (failure === "full") return new OutOfSpace(message, error);
  return new StorageFault(message, { cause: error, isTransient: failure !== "other" });
}

/** Whether the error is the database's, and not one of the function that ran in the transaction. */
export function isDatabaseFailure(error: unknown): boolean {
  return error instanceof DatabaseError || error instanceof ConnectionLost;
}
