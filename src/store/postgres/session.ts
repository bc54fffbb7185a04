import type { Duplex } from "node:stream";
import type pg from "pg";
import { type Millis, monotonic, systemTimers, type Timer } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import type { DatabaseAddress } from "./address.ts";
import {
  DatabaseError,
  type Message,
  MessageReader,
  type Notification,
  type Prepared,
  packParse,
  packStatement,
  type Row,
  type Statement,
  SYNC,
  unpackFields,
  unpackNotification,
  unpackRow,
  unpackTag,
} from "./wire.ts";

/** The connection is gone. What was sent and not answered may have happened or not. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** This host is up and takes no writes: a standby, or a primary that was stepped down. */
export class NotPrimary extends Error {
  override readonly name = "NotPrimary";
}

export interface Result {
  readonly rows: readonly Row[];
  readonly tag: string;
}

export interface RoundTrip {
  /** One for each statement, in order. */
  readonly results: readonly Result[];
  /** The database did what was asked and warns, for instance that a standby has not confirmed a commit. */
  readonly isWarned: boolean;
}

interface Unit {
  readonly results: Result[];
  rows: Row[];
  isWarned: boolean;
  error: DatabaseError | undefined;
  readonly startedAt: Millis;
  resolve(trip: RoundTrip): void;
  reject(error: Error): void;
}

/** Counts for all connections of a node: how often somebody waited for the database. */
export interface Traffic {
  roundTrips: number;
}

export interface SessionOptions {
  readonly address: DatabaseAddress;
  readonly host: string;
  readonly port: number;
  /** Prepared once, when the connection is new. */
  readonly statements: readonly Prepared[];
  readonly traffic: Traffic;
  readonly applicationName: string;
}

export async function newClient({
  address,
  host,
  port,
  applicationName,
}: Omit<SessionOptions, "statements" | "traffic">): Promise<pg.Client> {
  // Here and not at the top: whoever starts without a database does not wait for the package.
  const { default: postgres } = await import("pg");
  return new postgres.Client({
    host,
    port,
    user: address.user,
    ...(address.password === undefined ? {} : { password: address.password }),
    database: address.database,
    ssl: address.tls === false ? false : { ...address.tls },
    application_name: applicationName,
    connectionTimeoutMillis: address.connectMillis,
    statement_timeout: LIMITS.statementMillis,
    lock_timeout: LIMITS.lockMillis,
    idle_in_transaction_session_timeout: LIMITS.idleInTransactionMillis,
    keepAlive: true,
    keepAliveInitialDelayMillis: LIMITS.databaseKeepAliveMillis,
  });
}

/** What every connection is asked first: whether it leads to the primary, and how the database keeps its word. */
const FACTS = `SELECT version() AS version, current_setting('transaction_read_only') AS read_only`;

/**
 * PostgreSQL proper locks what a serializable transaction has read by index page, or the whole table when it chose
 * to scan it: on small tables it would, and every node would conflict with every other.
 */
const TUNING =
  "SET enable_seqscan = off; SET enable_bitmapscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan";

/** Somebody who turned it off for the server meant other data: an acknowledged write is a durable one. */
const DURABLE =
  "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'";

/** One connection: units of statements, each with one Sync, in the order they were given. */
export class Session {
  readonly #client: pg.Client;
  readonly #stream: Duplex;
  readonly #traffic: Traffic;
  readonly #reader = new MessageReader();
  readonly #units: Unit[] = [];
  readonly #watchdog: Timer;
  #lost: ConnectionLost | undefined;
  onNotification: (notification: Notification) => void = () => {};
  onLost: () => void = () => {};

  private constructor(client: pg.Client, traffic: Traffic) {
    this.#client = client;
    this.#traffic = traffic;
    // The package's own name for its socket; the contract suite would notice if it meant something else.
    this.#stream = (client as unknown as { connection: { stream: Duplex } }).connection.stream;
    this.#stream.removeAllListeners("data");
    this.#stream.on("data", (chunk: Buffer) => this.#receive(chunk));
    client.on("error", (error) => this.destroy(error));
    client.on("end", () => this.destroy(new Error("the database closed the connection")));
    this.#watchdog = systemTimers.every(LIMITS.databaseWatchMillis, () => this.#watch());
  }

  static async open(options: SessionOptions): Promise<Session> {
    const client = await newClient(options);
    // Until the session listens, an error is what `connect` or a query rejects with.
    const ignore = (): void => {};
    client.on("error", ignore);
    try {
      await client.connect();
      const { rows } = await client.query<{ version: string; read_only: string }>(FACTS);
      if (rows[0]?.read_only === "on")
        throw new NotPrimary(`${options.host}:${options.port} takes no writes`);
      await client.query(DURABLE);
      if (/^PostgreSQL/.test(rows[0]!.version)) await client.query(TUNING);
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    const session = new Session(client, options.traffic);
    client.off("error", ignore);
    await session.#prepare(options.statements);
    return session;
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  async #prepare(statements: readonly Prepared[]): Promise<void> {
    if (statements.length > 0) await this.#send(statements.map(packParse));
  }

  /** One round trip. Rejects with `DatabaseError`, or with `ConnectionLost`. */
  run(statements: readonly Statement[]): Promise<RoundTrip> {
    this.#traffic.roundTrips++;
    return this.#send(statements.map(packStatement));
  }

  /** Ends a transaction nobody waits for: whatever is sent next comes after it. */
  leave(name: "commit" | "rollback"): void {
    this.#send([packStatement({ name, values: [] })]).catch(() => {});
  }

  #send(messages: readonly Buffer[]): Promise<RoundTrip> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    return new Promise((resolve, reject) => {
      this.#units.push({
        results: [],
        rows: [],
        isWarned: false,
        error: undefined,
        startedAt: monotonic(),
        resolve,
        reject,
      });
      this.#stream.cork();
      for (const message of messages) this.#stream.write(message);
      this.#stream.write(SYNC);
      this.#stream.uncork();
    });
  }

  #receive(chunk: Buffer): void {
    try {
      for (const message of this.#reader.read(chunk)) this.#take(message);
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  #take({ type, body }: Message): void {
    if (type === "A") {
      this.onNotification(unpackNotification(body));
      return;
    }
    const unit = this.#units[0];
    if (unit === undefined) return;
    switch (type) {
      case "D":
        unit.rows.push(unpackRow(body));
        break;
      case "C":
        unit.results.push({ rows: unit.rows, tag: unpackTag(body) });
        unit.rows = [];
        break;
      case "E":
        unit.error = new DatabaseError(unpackFields(body));
        break;
      case "N":
        if ((unpackFields(body).get("V") ?? "") === "WARNING") unit.isWarned = true;
        break;
      case "Z":
        this.#units.shift();
        if (unit.error === undefined) unit.resolve({ results: unit.results, isWarned: unit.isWarned });
        else unit.reject(unit.error);
        break;
    }
  }

  /** A host that vanished without a word answers nothing and closes nothing. */
  #watch(): void {
    const oldest = this.#units[0];
    if (oldest === undefined || monotonic() - oldest.startedAt < LIMITS.databaseSilenceMillis) return;
    this.destroy(new Error("the database does not answer"));
  }

  destroy(cause: Error): void {
    if (this.#lost !== undefined) return;
    const fatal = this.#units[0]?.error;
    this.#lost = new ConnectionLost(
      `the connection to the database is lost: ${fatal?.message ?? cause.message}`,
    );
    this.#watchdog.cancel();
    this.#stream.destroy();
    for (const unit of this.#units.splice(0)) unit.reject(this.#lost);
    this.onLost();
  }

  /** Says goodbye. Nothing may be under way. */
  async close(): Promise<void> {
    if (this.#lost !== undefined) return;
    this.#lost = new ConnectionLost("the connection was closed");
    this.#watchdog.cancel();
    await this.#client.end();
  }
}
