import { type Clock, type Millis, systemClock } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { type Log, silentLog } from "../../observability/log.ts";
import type { AsyncCommit, ReadWork, StoreReadiness, StoreStats, WriteWork } from "../kv.ts";
import { OwnedSpace } from "../owned-space.ts";
import { type RecordSpace, SpaceStore } from "../space-store.ts";
import { alreadyDurable } from "../unsynced-keys.ts";
import { type DatabaseAddress, parseDatabaseAddress } from "./address.ts";
import { ChunkDevice } from "./chunk-device.ts";
import { ClearTextWarning } from "./clear-text-warning.ts";
import { DatabaseMessages, messageStatements } from "./database-messages.ts";
import { GroupCommit } from "./group-commit.ts";
import { Membership, memberStatements } from "./membership.ts";
import { Pool } from "./pool.ts";
import { ReadGroups } from "./read-groups.ts";
import { RecordCache } from "./record-cache.ts";
import { prepareSchema } from "./schema.ts";
import type { Traffic } from "./session.ts";
import {
  chunkStatements,
  type SpaceTables,
  spaceStatements,
  TRANSACTION_STATEMENTS,
  tablesOf,
} from "./sql.ts";
import type { Prepared } from "./wire.ts";

export interface PostgresOptions {
  readonly address: string;
  /** Names this process among the members that share the database. */
  readonly owner: string;
  /** A test's clock; without it the clock of the database applies. */
  readonly clock?: Clock | undefined;
  readonly log?: Log;
  /** This member was declared dead and must stop. */
  readonly onFatal: (error: unknown) => void;
}

/** Connections for writing one key space: one for the batch, one to resolve a commit in doubt. */
const WRITE_CONNECTIONS = 2;

/** One to listen, one to notify. */
const MESSAGE_CONNECTIONS = 2;

/** One for heartbeats, which must not wait, and one for cleaning up. */
const MEMBER_CONNECTIONS = 2;

type PoolMaker = (statements: readonly Prepared[], max: number) => Pool;

interface SpaceOptions {
  readonly tables: SpaceTables;
  readonly isDurable: boolean;
  readonly connections: number;
  readonly fences: readonly Prepared[];
}

class PostgresSpace implements RecordSpace {
  readonly #reads: ReadGroups;
  readonly #writer: GroupCommit;
  readonly #pools: readonly Pool[];
  readonly #traffic: Traffic;
  #closing: Promise<void> | undefined;

  constructor(
    membership: Membership,
    traffic: Traffic,
    makePool: PoolMaker,
    { tables, isDurable, connections, fences }: SpaceOptions,
  ) {
    this.#traffic = traffic;
    const statements = [...TRANSACTION_STATEMENTS, ...spaceStatements(tables), ...fences];
    const readPool = makePool(statements, connections);
    const writePool = makePool(statements, WRITE_CONNECTIONS);
    this.#pools = [readPool, writePool];
    const { clock, opened } = membership;
    const cache = new RecordCache();
    this.#reads = new ReadGroups({ pool: readPool, clock, opened, cache });
    this.#writer = new GroupCommit({ pool: writePool, clock, membership, cache, isDurable });
  }

  read<T>(work: ReadWork<T>): Promise<T> {
    return this.#reads.read(work);
  }

  readMaybeSync<T>(work: ReadWork<T>): Promise<T> {
    return this.#reads.read(work);
  }

  write<T>(work: WriteWork<T>): Promise<T> {
    return this.#writer.write(work);
  }

  commitAsync<T>(work: WriteWork<T>): Promise<AsyncCommit<T>> {
    return alreadyDurable(this.write(work));
  }

  stats(): StoreStats {
    return { ...this.#writer.stats(), roundTrips: this.#traffic.roundTrips };
  }

  watchCommits(listener: (transactions: number) => void): void {
    this.#writer.watchCommits(listener);
  }

  get unansweredMillis(): Millis {
    return this.#writer.unansweredMillis;
  }

  /** Accepts no more work and completes the accepted work. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([this.#writer.close(), this.#reads.close()]);
    await Promise.all(this.#pools.map((pool) => pool.close()));
  }
}

/** Records in a database that speaks the PostgreSQL protocol, shared by any number of members. */
export class PostgresStore extends SpaceStore {
  readonly membership: Membership;
  /** To the other members. */
  readonly messages: DatabaseMessages;
  readonly address: DatabaseAddress;
  /** Stores the payload. */
  readonly device: ChunkDevice;
  readonly #chunkPool: Pool;
  readonly #memberPool: Pool;
  readonly #log: Log;
  readonly #records: PostgresSpace;
  readonly #ephemeralSpace: PostgresSpace;
  #closing: Promise<void> | undefined;

  constructor({ address: text, owner, clock, log = silentLog, onFatal }: PostgresOptions) {
    const address = parseDatabaseAddress(text);
    const { schema, connections } = address;
    const tables = tablesOf(schema);
    const traffic: Traffic = { roundTrips: 0, heardAt: 0, silentAt: 0, primary: 0 };
    const applicationName = `holdfast ${owner}`.slice(0, 63);
    const connecting = { address, applicationName, clearText: new ClearTextWarning(log) };
    const makePool: PoolMaker = (statements, max) => new Pool({ ...connecting, statements, traffic, max });
    const memberWork = memberStatements(tables);
    const memberPool = makePool([...TRANSACTION_STATEMENTS, ...memberWork], MEMBER_CONNECTIONS);
    const isAbandoned = (): boolean => this.#closing !== undefined;
    const membership = new Membership(
      { owner, pool: memberPool, log, clock, systemClock, onDeclaredDead: onFatal },
      prepareSchema({ ...connecting, log, isAbandoned }),
    );
    const fences = memberWork.filter(({ name }) => name === "member_reserve" || name === "member_fence");
    const makeSpace = (space: Omit<SpaceOptions, "fences">): PostgresSpace =>
      new PostgresSpace(membership, traffic, makePool, { ...space, fences });
    const records = makeSpace({ tables: tables.records, isDurable: true, connections });
    const ephemeralConnections = Math.ceil(connections / 2);
    const ephemeralSpace = makeSpace({
      tables: tables.ephemeral,
      isDurable: false,
      connections: ephemeralConnections,
    });
    super(records, new OwnedSpace(ephemeralSpace, owner));
    this.address = address;
    this.membership = membership;
    this.#memberPool = memberPool;
    this.#records = records;
    this.#ephemeralSpace = ephemeralSpace;
    this.#log = log;
    this.#chunkPool = makePool([...TRANSACTION_STATEMENTS, ...chunkStatements(tables)], connections);
    this.device = new ChunkDevice({ pool: this.#chunkPool, place: address.shown, connections });
    this.messages = new DatabaseMessages({
      pool: makePool(messageStatements(schema), MESSAGE_CONNECTIONS),
      owner,
      log,
      opened: membership.opened,
    });
  }

  /** Resolves when the tables exist and this process is a member. */
  get opened(): Promise<void> {
    return this.membership.opened;
  }

  /** Whether the database accepts writes and answers them. */
  readiness(): StoreReadiness {
    const silent = this.membership.silentMillis;
    if (silent > LIMITS.databaseReadyMillis)
      return { isUp: false, state: `the database has not answered for ${Math.round(silent / 1_000)} s` };
    const unanswered = Math.max(this.#records.unansweredMillis, this.#ephemeralSpace.unansweredMillis);
    if (unanswered > LIMITS.databaseReadyMillis)
      return { isUp: false, state: `a commit has not been answered for ${Math.round(unanswered / 1_000)} s` };
    return { isUp: true, state: "open" };
  }

  override close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Closes the ephemeral space to further work, then releases the records of this member. */
  async #releaseEphemeral(): Promise<void> {
    const isOpen = await this.opened.then(
      () => true,
      () => false,
    );
    const released = isOpen ? this.ephemeral.releaseOwner(this.ephemeral.owner) : Promise.resolve();
    const closed = this.#ephemeralSpace.close();
    await released.catch((err: unknown) => {
      this.#log.warn({ err }, "could not release the records of this member; the other members will do it");
    });
    await closed;
  }

  async #close(): Promise<void> {
    await Promise.all([super.close(), this.#releaseEphemeral()]);
    await this.membership.leave().catch((err: unknown) => {
      this.#log.warn({ err }, "could not deregister from the database; the other members will notice");
    });
    await Promise.all([this.#memberPool.close(), this.#chunkPool.close(), this.messages.close()]);
  }
}
