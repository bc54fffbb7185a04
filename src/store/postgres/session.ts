import type { Duplex } from "node:stream";
import type pg from "pg";
import { type Millis, monotonic, systemTimers, type Timer } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import {
  ConnectionLost,
  connectClient,
  endClient,
  type HostOptions,
  NotPrimary,
  stopIgnoring,
  streamOf,
  TIME_LIMITS,
  within,
} from "./connect.ts";
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

export interface Result {
  readonly rows: readonly Row[];
  readonly tag: string;
}

export interface RoundTrip {
  /** One for each statement, in order. */
  readonly results: readonly Result[];
  /** The database completed the statements with a warning, e.g. that a standby has not confirmed a commit. */
  readonly isWarned: boolean;
}

interface Unit {
  readonly results: Result[];
  rows: Row[];
  isWarned: boolean;
  error: DatabaseError | undefined;
  readonly startedAt: Millis;
  /** The longest silence while other connections get answers. */
  readonly silenceMillis: Millis;
  /** Whether that applies also when all connections are silent. */
  readonly isLong: boolean;
  resolve(trip: RoundTrip): void;
  reject(error: Error): void;
}

/** State that all connections of a process share. */
export interface Traffic {
  roundTrips: number;
  /** When the database last sent a byte. */
  heardAt: Millis;
  /** When a connection was closed for its silence: those without a byte since are suspect too. */
  silentAt: Millis;
  /** Index of the last primary: a host that is down may use up the whole connect timeout. */
  primary: number;
}

export interface SessionOptions extends HostOptions {
  /** Prepared once, when the connection is new. */
  readonly statements: readonly Prepared[];
  readonly traffic: Traffic;
}

/** Whether the connection leads to the primary, and to which database. */
const SERVER_INFO = `SELECT version() AS version, current_setting('transaction_read_only') AS read_only`;

/**
 * PostgreSQL locks the reads of a serializable transaction by index page, or by table after a sequential
 * scan: on small tables it would scan, and every member would conflict with every other.
 */
const TUNING =
  "SET enable_seqscan = off; SET enable_bitmapscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan";

/** Overrides a server default of off: an acknowledged write is durable. */
const DURABLE =
  "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'";

/** One connection: units of statements, each with one Sync, in the order of the calls. */
export class Session {
  readonly #client: pg.Client;
  readonly #stream: Duplex;
  readonly #traffic: Traffic;
  readonly #reader = new MessageReader();
  readonly #units: Unit[] = [];
  readonly #watchdog: Timer;
  #heardAt: Millis = 0;
  #lost: ConnectionLost | undefined;
  onNotification: (notification: Notification) => void = () => {};
  onLost: () => void = () => {};

  private constructor(client: pg.Client, traffic: Traffic) {
    this.#client = client;
    this.#traffic = traffic;
    this.#stream = streamOf(client);
    this.#stream.removeAllListeners("data");
    this.#stream.on("data", (chunk: Buffer) => this.#receive(chunk));
    client.on("error", (error) => this.destroy(error));
    client.on("end", () => this.destroy(new Error("the database closed the connection")));
    stopIgnoring(client);
    this.#watchdog = systemTimers.every(LIMITS.databaseWatchMillis, () => this.#watch());
  }

  static async open(options: SessionOptions): Promise<Session> {
    const { address, host, port, statements, traffic } = options;
    const client = await connectClient(options);
    try {
      const limits = { millis: address.connectMillis, place: `${host}:${port}` };
      return await within(client, limits, async () => {
        await setUp(client, limits.place);
        const session = new Session(client, traffic);
        await session.#prepare(statements);
        return session;
      });
    } catch (error) {
      streamOf(client).destroy();
      throw error;
    }
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  async #prepare(statements: readonly Prepared[]): Promise<void> {
    if (statements.length > 0) await this.#send(statements.map(packParse));
  }

  /**
   * One round trip. Rejects with `DatabaseError`, or with `ConnectionLost`. `isLong`: a statement in it may
   * take `LIMITS.longStatementMillis`.
   */
  run(statements: readonly Statement[], isLong = false): Promise<RoundTrip> {
    this.#traffic.roundTrips++;
    return this.#send(statements.map(packStatement), isLong);
  }

  /** Without a byte since another connection fell silent: trying it would take as long again. */
  get isSuspect(): boolean {
    return this.#heardAt < this.#traffic.silentAt;
  }

  /** How long the oldest round trip has waited for a byte of its answer; 0 when none is pending. */
  get silentMillis(): Millis {
    const oldest = this.#units[0];
    return oldest === undefined ? 0 : monotonic() - Math.max(oldest.startedAt, this.#heardAt);
  }

  /** Ends a transaction without waiting: later units come after it. */
  endTransaction(name: "commit" | "rollback"): void {
    this.#send([packStatement({ name, values: [] })]).catch(() => {});
  }

  #send(messages: readonly Buffer[], isLong = false): Promise<RoundTrip> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    let bytes = 0;
    for (const message of messages) bytes += message.length;
    const workMillis = isLong ? LIMITS.longStatementMillis : 0;
    const sendMillis = (bytes / LIMITS.databaseBytesPerSecondMin) * 1_000;
    return new Promise((resolve, reject) => {
      this.#units.push({
        results: [],
        rows: [],
        isWarned: false,
        error: undefined,
        startedAt: monotonic(),
        silenceMillis: LIMITS.databaseSilenceMillis + workMillis + sendMillis,
        isLong,
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
    this.#heardAt = monotonic();
    this.#traffic.heardAt = this.#heardAt;
    try {
      for (const message of this.#reader.read(chunk)) this.#handle(message);
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  #handle({ type, body }: Message): void {
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

  /** A host that vanished neither answers nor closes its connections. */
  #watch(): void {
    const oldest = this.#units[0];
    if (oldest === undefined) return;
    const silent = this.silentMillis;
    const isAllSilent = monotonic() - this.#traffic.heardAt >= LIMITS.databaseSilenceMillis;
    const limit = isAllSilent && !oldest.isLong ? LIMITS.databaseSilenceMillis : oldest.silenceMillis;
    if (silent < limit) return;
    this.#traffic.silentAt = monotonic();
    this.destroy(new Error(`the database has not answered for ${Math.round(silent / 1_000)} s`));
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

  /** Closes in good order. No unit may be pending. */
  async close(): Promise<void> {
    if (this.#lost !== undefined) return;
    this.#lost = new ConnectionLost("the connection was closed");
    this.#watchdog.cancel();
    await endClient(this.#client);
  }
}

async function setUp(client: pg.Client, place: string): Promise<void> {
  // Several statements in one text have one result each; the package's types declare only one.
  const results = (await client.query(`${TIME_LIMITS}; ${SERVER_INFO}`)) as unknown as pg.QueryResult[];
  const { version, read_only } = results.at(-1)!.rows[0] as { version: string; read_only: string };
  if (read_only === "on") throw new NotPrimary(`${place} accepts no writes`);
  await client.query(DURABLE);
  if (/^PostgreSQL/.test(version)) await client.query(TUNING);
}
