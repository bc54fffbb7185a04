import type { Duplex } from "node:stream";
import type pg from "pg";
import { type Millis, systemTimers } from "../../base/clock.ts";
import { errorCode } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import type { DatabaseAddress, TlsSettings } from "./address.ts";
import type { ClearTextWarning, Link } from "./clear-text-warning.ts";

/** The connection is gone. What was sent and not answered may have happened or not. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** This host is up and takes no writes: a standby, or a primary that was stepped down. */
export class NotPrimary extends Error {
  override readonly name = "NotPrimary";
}

/** What all connections of a process have in common. */
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
 * Sent after the login and not with it: PgBouncer refuses a login that brings settings it does not keep track of, while a
 * SET lasts as long as the server connection of a session, which is what session pooling promises.
 */
export const TIME_LIMITS =
  `SET statement_timeout = ${LIMITS.statementMillis}; SET lock_timeout = ${LIMITS.lockMillis}; ` +
  `SET idle_in_transaction_session_timeout = ${LIMITS.idleInTransactionMillis}`;

/** A client that is logged in, over TLS as `sslmode` says. Until its owner listens, its errors are ignored. */
export async function connectClient(options: HostOptions): Promise<pg.Client> {
  const { tls } = options.address;
  // As libpq: a socket of this machine is not encrypted, whatever the mode says.
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

/** Where libpq goes on without TLS in mode `prefer`: none is offered, none comes about, or the server wants none. */
function mayConnectInClear(error: unknown): boolean {
  const code = errorCode(error);
  if (code === INVALID_AUTHORIZATION) return true;
  return code === undefined
    ? /not support SSL|establishing an SSL/.test((error as Error).message)
    : /^ERR_SSL_|^EPROTO$/.test(code);
}

async function connectOnce(options: HostOptions, tls: TlsSettings | false): Promise<pg.Client> {
  const { address, host, port, applicationName, clearText } = options;
  // Here and not at the top: a process that runs without a database does not load the package.
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

/** The owner has its own listener from now on. */
export function stopIgnoring(client: pg.Client): void {
  client.off("error", ignore);
}

/** The package's own name for its socket; the contract suite would notice if it meant something else. */
export function streamOf(client: pg.Client): Duplex & Link {
  return (client as unknown as { connection: { stream: Duplex & Link } }).connection.stream;
}

/** Work that takes longer fails, and the connection with it: a host that vanished answers nothing and closes nothing. */
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

/** Closes in good order, or without it when the other side does not answer. */
export async function endClient(client: pg.Client): Promise<void> {
  const timer = systemTimers.after(LIMITS.databaseGoodbyeMillis, () => streamOf(client).destroy());
  await client.end().catch(() => {});
  timer.cancel();
}
