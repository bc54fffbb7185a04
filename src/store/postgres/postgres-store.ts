import { type Clock, type Millis, systemClock } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { type Log, silentLog } from "../../observability/log.ts";
import { alreadyDurable } from "../ahead.ts";
import type {
  AsyncCommit,
  AsyncRest,
  EphemeralSpace,
  KeySpace,
  MaybePromise,
  Reader,
  Store,
  StoreReadiness,
  StoreStats,
  SyncReader,
  SyncWriter,
  Writer,
} from "../kv.ts";
import { OwnedSpace } from "../owned-space.ts";
import { withRest } from "../sync-transaction.ts";
import { type DatabaseAddress, parseDatabaseAddress } from "./address.ts";
import { ChunkDevice } from "./chunk-device.ts";
import { ClearTextWarning } from "./clear-text-warning.ts";
import { DatabaseMessages, messageStatements } from "./database-messages.ts";
import { RecordCache } from "./known-records.ts";
import { WriteLane } from "./lane.ts";
import { Membership, memberStatements } from "./membership.ts";
import { Pool } from "./pool.ts";
import { ReadGroups } from "./read-groups.ts";
import { prepareSchema } from "./schema.ts";
import type { Traffic } from "./session.ts";
import { chunkStatements, PLAIN, type SpaceTables, spaceStatements, tablesOf } from "./sql.ts";
import type { Prepared } from "./wire.ts";

export interface PostgresOptions {
  readonly address: string;
  /** Names this node among those that share the database. */
  readonly owner: string;
  /** For tests: whose time counts. Without it the clock of the database does. */
  readonly clock?: Clock | undefined;
  readonly log?: Log;
  /** This node was held for dead and must stop. */
  readonly onFatal: (error: unknown) => void;
}

/** Connections for writing one key space: one for the batch under way, one to settle what is in doubt. */
const LANE_CONNECTIONS = 2;

/** One hears, one tells. */
const MESSAGE_CONNECTIONS = 2;

/** One for heartbeats, which must not wait, and one to clear up what is old. */
const NODE_CONNECTIONS = 2;

class PostgresSpace implements KeySpace {
  readonly #reads: ReadGroups;
  readonly #lane: WriteLane;
  readonly #pools: readonly Pool[];
  #closing: Promise<void> | undefined;

  constructor(
    membership: Membership,
    makePool: (statements: readonly Prepared[], max: number) => Pool,
    { tables, isDurable, connections }: { tables: SpaceTables; isDurable: boolean; connections: number },
    fences: readonly Prepared[],
  ) {
    const statements = [...PLAIN, ...spaceStatements(tables), ...fences];
    const readPool = makePool(statements, connections);
    const writePool = makePool(statements, LANE_CONNECTIONS);
    this.#pools = [readPool, writePool];
    const { clock, opened } = membership;
    const known = new RecordCache();
    this.#reads = new ReadGroups({ pool: readPool, clock, opened, known });
    this.#lane = new WriteLane({ pool: writePool, clock, membership, known, isDurable });
  }

  read<T>(fn: (read: Reader) => MaybePromise<T>): Promise<T> {
    return this.#reads.read(fn);
  }

  write<T>(fn: (write: Writer) => MaybePromise<T>): Promise<T> {
    return this.#lane.write(fn);
  }

  stats(): StoreStats {
    return this.#lane.stats();
  }

  watchCommits(listener: (transactions: number) => void): void {
    this.#lane.watchCommits(listener);
  }

  get unansweredMillis(): Millis {
    return this.#lane.unansweredMillis;
  }

  /** No more is taken in; what was is finished. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([this.#lane.close(), this.#reads.close()]);
    await Promise.all(this.#pools.map((pool) => pool.close()));
  }
}

/** Records in a database of the PostgreSQL protocol, shared by any number of nodes. */
export class PostgresStore implements Store {
  readonly ephemeral: EphemeralSpace;
  readonly traffic: Traffic = { roundTrips: 0, heardAt: 0, silentAt: 0 };
  readonly membership: Membership;
  /** To the other nodes. */
  readonly messages: DatabaseMessages;
  readonly address: DatabaseAddress;
  /** Where payload goes. */
  readonly device: ChunkDevice;
  readonly #chunkPool: Pool;
  readonly #log: Log;
  readonly #records: PostgresSpace;
  readonly #ephemeralSpace: PostgresSpace;
  readonly #memberPool: Pool;
  #closing: Promise<void> | undefined;

  constructor({ address, owner, clock, log = silentLog, onFatal }: PostgresOptions) {
    this.address = parseDatabaseAddress(address);
    const { schema, connections } = this.address;
    const tables = tablesOf(schema);
    const applicationName = `holdfast ${owner}`.slice(0, 63);
    const connecting = { address: this.address, applicationName, clearText: new ClearTextWarning(log) };
    const makePool = (statements: readonly Prepared[], max: number): Pool =>
      new Pool({ ...connecting, statements, traffic: this.traffic, max });
    const memberWork = memberStatements(tables);
    this.#memberPool = makePool([...PLAIN, ...memberWork], NODE_CONNECTIONS);
    const isAbandoned = (): boolean => this.#closing !== undefined;
    const prepared = prepareSchema({ ...connecting, log, isAbandoned });
    this.membership = new Membership(
      { owner, pool: this.#memberPool, log, clock, systemClock, onBuried: onFatal },
      prepared,
    );
    const fences = memberWork.filter(({ name }) => name === "node_reserve" || name === "node_fence");
    this.#records = new PostgresSpace(
      this.membership,
      makePool,
      { tables: tables.records, isDurable: true, connections },
      fences,
    );
    this.#ephemeralSpace = new PostgresSpace(
      this.membership,
      makePool,
      { tables: tables.passing, isDurable: false, connections: Math.ceil(connections / 2) },
      fences,
    );
    this.ephemeral = new OwnedSpace(this.#ephemeralSpace, owner);
    this.#chunkPool = makePool([...PLAIN, ...chunkStatements(tables)], connections);
    this.device = new ChunkDevice({ pool: this.#chunkPool, place: this.address.shown, connections });
    this.messages = new DatabaseMessages({
      pool: makePool(messageStatements(schema), MESSAGE_CONNECTIONS),
      owner,
      log,
      opened: this.membership.opened,
    });
    this.#log = log;
  }

  /** Resolves when the tables are there and this node is one of the nodes. */
  get opened(): Promise<void> {
    return this.membership.opened;
  }

  read<T>(fn: (read: Reader) => MaybePromise<T>): Promise<T> {
    return this.#records.read(fn);
  }

  view<T>(decide: (read: SyncReader) => T | AsyncRest<Reader, T>): MaybePromise<T> {
    return this.#records.read((read) => withRest(read, read.view(decide)));
  }

  write<T>(fn: (write: Writer) => MaybePromise<T>): Promise<T> {
    return this.#records.write(fn);
  }

  update<T>(decide: (write: SyncWriter) => T | AsyncRest<Writer, T>): Promise<T> {
    return this.#records.write((write) => withRest(write, write.update(decide)));
  }

  commitAsync<T>(fn: (write: Writer) => MaybePromise<T>): Promise<AsyncCommit<T>> {
    return alreadyDurable(this.write(fn));
  }

  /** Whether the database takes writes and answers them. */
  readiness(): StoreReadiness {
    const silent = this.membership.silentMillis;
    if (silent > LIMITS.databaseReadyMillis)
      return { isUp: false, state: `the database has not answered for ${Math.round(silent / 1_000)} s` };
    const unanswered = Math.max(this.#records.unansweredMillis, this.#ephemeralSpace.unansweredMillis);
    if (unanswered > LIMITS.databaseReadyMillis)
      return { isUp: false, state: `a commit has not been answered for ${Math.round(unanswered / 1_000)} s` };
    return { isUp: true, state: "open" };
  }

  stats(): StoreStats {
    return { ...this.#records.stats(), roundTrips: this.traffic.roundTrips };
  }

  watchCommits(listener: (transactions: number) => void): void {
    this.#records.watchCommits(listener);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Nobody takes more in; then what this node held goes with it. */
  async #leaveEphemeral(): Promise<void> {
    const isOpen = await this.opened.then(
      () => true,
      () => false,
    );
    const released = isOpen ? this.ephemeral.releaseOwner(this.ephemeral.owner) : Promise.resolve();
    const closed = this.#ephemeralSpace.close();
    await released.catch((err: unknown) => {
      this.#log.warn({ err }, "what this node held could not be released; the other nodes will do it");
    });
    await closed;
  }

  async #close(): Promise<void> {
    await Promise.all([this.#records.close(), this.#leaveEphemeral()]);
    await this.membership.leave().catch((err: unknown) => {
      this.#log.warn({ err }, "could not say goodbye to the database; the other nodes will notice");
    });
    await Promise.all([this.#memberPool.close(), this.#chunkPool.close(), this.messages.close()]);
  }
}
