import { errorCode, OutOfSpace, StorageFault } from "../../base/faults.ts";
import { ConnectionLost, NotPrimary } from "./connect.ts";

/**
 * What a failed statement means for its sender.
 *
 *   conflict   the transaction conflicted with another one and was rolled back: a retry may succeed
 *   gone       the connection broke or leads to no primary: try another connection
 *   full       no space: records stay readable, and writes succeed again once there is space
 *   other      a retry would not help
 */
export type Failure = "conflict" | "gone" | "full" | "other";

const CONFLICTS = new Set([
  "40001", // serialization_failure
  "40P01", // deadlock_detected
  "55P03", // lock_not_available: the wait for another transaction was too long
  "57014", // query_canceled: the statement took too long
]);

const GONE = new Set([
  "25006", // read_only_sql_transaction: the primary became a standby
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
    // The package reports a failed connection without a code.
    return /terminated|closed/i.test((error as Error | undefined)?.message ?? "") ? "gone" : "other";
  }
  if (CONFLICTS.has(code)) return "conflict";
  if (GONE.has(code) || code.startsWith("08")) return "gone";
  if (FULL.has(code)) return "full";
  // System errors and name lookups; for errors of Node.js (ERR_TLS_CERT_ALTNAME_INVALID) a retry does not
  // help.
  if (/^E(?!RR_)[A-Z_]+$/.test(code)) return "gone";
  return "other";
}

/** The message. A host with several addresses fails with one error for each, and no message of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "")
    return error.errors.map(({ message }: Error) => message).join(", ");
  return (error as Error).message;
}

/** The fault for the services, of an operation that certainly did not happen. */
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
