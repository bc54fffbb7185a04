import type { Duplex } from "node:stream";
import type pg from "pg";
import { type Millis, systemTimers } from "../../base/clock.ts";
import { errorCode } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import type { DatabaseAddress, TlsSettings } from "./address.ts";
import type { ClearTextWarning, Link } from "./clear-text-warning.ts";

/** The connection broke. The outcome of unanswered statements is unknown. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** The host accepts no writes: a standby, or a former primary. */
export class NotPrimary extends Error {
  override readonly name = "NotPrimary";
}

/** Options of all connections of a process. */
export interface ConnectOptions {
  readonly address: DatabaseAddress;
  readonly applicationName: string;
  readonly clearText: ClearTextWarning;
}

export interface HostOptions extends ConnectOptions {
  readonly host: string;
  readonly port: number;
}

/**
 * Sent after the login and not with it: PgBouncer refuses a login with settings that it does not track, while
 * a SET lasts as long as the server connection of a session.
 */
export const TIME_LIMITS =
  `SET statement_timeout = ${LIMITS.statementMillis}; SET lock_timeout = ${LIMITS.lockMillis}; ` +
  `SET idle_in_transaction_session_timeout = ${LIMITS.idleInTransactionMillis}`;

/** A client that is logged in, over TLS as `sslmode` demands. Ignores errors until its owner listens. */
export async function connectClient(options: HostOptions): Promise<pg.Client> {
  const { tls } = options.address;
  // As libpq: a Unix socket is never encrypted.
  const isLocalSocket = options.host.startsWith("/");
  if (tls === false || isLocalSocket) return connectOnce(options, false);
  try {
    return await connectOnce(options, tls.settings);
  } catch (error) {
    if (tls.isRequired || !mayConnectInClear(error)) throw error;
    return connectOnce(options, false);
  }
}

const INVALID_AUTHORIZATION = "28000";

/** As libpq in mode `prefer`: the server offers no TLS, TLS fails, or the server refuses it. */
function mayConnectInClear(error: unknown): boolean {
  const code = errorCode(error);
  if (code === INVALID_AUTHORIZATION) return true;
  return code === undefined
    ? /not support SSL|establishing an SSL/.test((error as Error).message)
    : /^ERR_SSL_|^EPROTO$/.test(code);
}

async function connectOnce(options: HostOptions, tls: TlsSettings | false): Promise<pg.Client> {
  const { address, host, port, applicationName, clearText } = options;
  // Imported here so that a process without a database does not load the package.
  const { default: postgres } = await import("pg");
  const client = new postgres.Client({
    host,
    port,
    user: address.user,
    ...(address.password === undefined ? {} : { password: address.password }),
    database: address.database,
    ssl: tls === false ? false : { ...tls },
    application_name: applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: LIMITS.databaseKeepAliveMillis,
  });
  client.on("error", ignore);
  try {
    await within(client, { millis: address.connectMillis, place: `${host}:${port}` }, () => client.connect());
  } catch (error) {
    streamOf(client).destroy();
    throw error;
  }
  clearText.check(streamOf(client), `${host}:${port}`);
  return client;
}

function ignore(): void {}

/** The owner has added its own listener. */
export function stopIgnoring(client: pg.Client): void {
  client.off("error", ignore);
}

/** A private field of the package; the contract suite detects a change. */
export function streamOf(client: pg.Client): Duplex & Link {
  return (client as unknown as { connection: { stream: Duplex & Link } }).connection.stream;
}

/** Limits work in time, by closing the connection: a host that vanished neither answers nor closes. */
export async function within<T>(
  client: pg.Client,
  { millis, place }: { readonly millis: Millis; readonly place: string },
  work: () => Promise<T>,
): Promise<T> {
  const timer = systemTimers.after(millis, () => {
    streamOf(client).destroy(new ConnectionLost(`${place} did not answer within ${millis / 1_000} s`));
  });
  try {
    return await work();
  } finally {
    timer.cancel();
  }
}

/** Closes in good order, or forcibly when the other side does not answer. */
export async function endClient(client: pg.Client): Promise<void> {
  const timer = systemTimers.after(LIMITS.databaseGoodbyeMillis, () => streamOf(client).destroy());
  await client.end().catch(() => {});
  timer.cancel();
}
