import { type Clock, type Millis, monotonic, pause, systemTimers, type Timer } from "../../base/clock.ts";
import { DeclaredDead, StorageFault } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import { systemRandom } from "../../base/random.ts";
import { type Revision, revisionAt } from "../../base/revision.ts";
import type { Log } from "../../observability/log.ts";
import { DatabaseClock } from "./database-clock.ts";
import { failureOf, reasonOf } from "./failures.ts";
import type { Pool } from "./pool.ts";
import type { Session } from "./session.ts";
import { SLOTS, SlotRevisions } from "./slot-revisions.ts";
import type { Tables } from "./sql.ts";
import { int8, type Prepared, type Row, type Statement, text } from "./wire.ts";

export function memberStatements({ members, records, passing }: Tables): Prepared[] {
  const mine = "WHERE slot = $1::bigint AND owner = $2::text";
  return [
    { name: "node_list", text: `SELECT slot, owner, state, beat, last, reserved FROM ${members}` },
    {
      name: "node_take",
      text:
        `INSERT INTO ${members} (slot, owner, state, beat, last, reserved) ` +
        "VALUES ($1::bigint, $2::text, 'alive', 0, $3::bigint, $4::bigint) ON CONFLICT (slot) DO UPDATE SET " +
        "owner = excluded.owner, state = 'alive', beat = 0, last = excluded.last, reserved = excluded.reserved",
    },
    {
      name: "node_beat",
      text:
        `UPDATE ${members} SET beat = beat + 1, last = $3::bigint, reserved = greatest(reserved, $4::bigint) ${mine} ` +
        "AND state = 'alive' RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::bigint",
    },
    {
      name: "node_reserve",
      text: `UPDATE ${members} SET reserved = greatest(reserved, $3::bigint) ${mine} AND state = 'alive'`,
    },
    // Fails when the row is no longer ours, and the transaction with it.
    {
      name: "node_fence",
      text: `SELECT 1 / (SELECT count(*) FROM ${members} ${mine} AND state = 'alive')`,
    },
    {
      name: "node_bury",
      text: `UPDATE ${members} SET state = 'dead' ${mine} AND beat = $3::bigint AND state = 'alive'`,
    },
    { name: "node_free", text: `UPDATE ${members} SET state = 'free' ${mine} AND state = 'dead'` },
    {
      name: "node_leave",
      text: `UPDATE ${members} SET state = 'free', last = $3::bigint, reserved = $3::bigint ${mine}`,
    },
    // Nobody asks about an operation after so long: whoever was in doubt has settled it or is gone.
    { name: "forget_outcomes", text: `DELETE FROM ${records.outcomes} WHERE at < now() - interval '1 hour'` },
    { name: "forget_passing", text: `DELETE FROM ${passing.outcomes} WHERE at < now() - interval '1 hour'` },
  ];
}

interface MemberRow {
  readonly slot: number;
  readonly owner: string;
  readonly state: string;
  readonly beat: bigint;
  readonly last: Revision;
  readonly reserved: Revision;
}

function memberOf(row: Row): MemberRow {
  const big = (index: number): bigint => row[index]!.readBigInt64BE();
  return {
    slot: Number(big(0)),
    owner: row[1]!.toString(),
    state: row[2]!.toString(),
    beat: big(3),
    last: big(4),
    reserved: big(5),
  };
}

export interface MembershipOptions {
  readonly owner: string;
  readonly pool: Pool;
  readonly log: Log;
  /** Given by tests, which move it; without one the database's clock is used. */
  readonly clock: Clock | undefined;
  readonly systemClock: Clock;
  /** This node was held for dead, and what it held was released: it must not go on. */
  readonly onBuried: (error: Error) => void;
}

/**
 * The nodes that share the database: a row for each, with a heartbeat. A node whose beat has not moved while another
 * one has made several of its own is dead: it is marked, what it left behind is released, then its slot is free. No
 * clock is compared, and a database that was away for a while kills nobody, as no beats are counted meanwhile.
 */
export class Membership {
  readonly clock: Clock;
  readonly revisions: SlotRevisions;
  readonly log: Log;
  /** Names this run of the node in operation ids. */
  readonly incarnation = systemRandom.bytes(16);
  readonly opened: Promise<void>;
  /** Releases what a dead node has left behind; set by who knows what that is. Must bear being called twice. */
  onDead: (owner: string) => Promise<void> = async () => {};
  readonly #options: MembershipOptions;
  readonly #databaseClock: DatabaseClock;
  /** For each other node: its last beat, and how many of ours it has not moved for. */
  readonly #watched = new Map<string, { beat: bigint; still: number }>();
  #slot = 0;
  #reserved: Revision = 0n;
  #beats = 0;
  #timer: Timer | undefined;
  #beating: Promise<void> | undefined;
  #sweeping: Promise<unknown> | undefined;
  #answeredAt: Millis = 0;
  /** The log has said so often that the database is away, and says it again from then on. */
  #reportFrom: Millis = 0;
  #isJoined = false;
  #judgesFrom: Millis = 0;
  readonly #clearing = new Map<string, Promise<void>>();

  constructor(options: MembershipOptions, prepared: Promise<void>) {
    this.#options = options;
    this.log = options.log;
    this.#databaseClock = new DatabaseClock(options.systemClock);
    this.clock = options.clock ?? this.#databaseClock;
    this.revisions = new SlotRevisions(this.clock);
    this.opened = prepared.then(() => this.#join());
    // Whoever reads or writes hears it.
    this.opened.catch(() => {});
  }

  /** What must be committed along with these revisions: nothing, as long as they stay below what is reserved. */
  reserving(highest: Revision): Statement[] {
    if (highest <= this.#reserved) return [];
    const me = [int8(this.#slot), text(this.#options.owner)];
    return [{ name: "node_reserve", values: [...me, int8(highest + this.#unsynced())] }, this.fence()];
  }

  /** Fails when this node was held for dead. */
  fence(): Statement {
    return { name: "node_fence", values: [int8(this.#slot), text(this.#options.owner)] };
  }

  reserved(highest: Revision): void {
    if (highest > this.#reserved) this.#reserved = highest + this.#unsynced();
  }

  #unsynced(): Revision {
    return revisionAt(LIMITS.revisionsAheadMillis) - revisionAt(0);
  }

  async #join(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#withSession((session) => this.#takeSlot(session));
        break;
      } catch (error) {
        if (tries >= LIMITS.conflictTriesMax || failureOf(error) !== "conflict") throw error;
        await pause(tries * 10 * systemRandom.fraction());
      }
    }
    await this.#beat();
    this.#timer = systemTimers.every(LIMITS.heartbeatMillis, () => {
      this.#beating ??= this.#beat()
        .catch((err: unknown) => {
          this.#reportSilence(err);
          this.#databaseClock.forget();
          // The others may take longer than we do to find the database again.
          this.#watched.clear();
          this.#judgesFrom = monotonic() + LIMITS.databasePatienceMillis;
        })
        .finally(() => {
          this.#beating = undefined;
        });
    });
  }

  /** How long ago the database last took a heartbeat, which is a write. */
  get silentMillis(): Millis {
    return monotonic() - this.#answeredAt;
  }

  #reportSilence(err: unknown): void {
    if (monotonic() < this.#reportFrom) return;
    this.#reportFrom = monotonic() + LIMITS.databaseReportMillis;
    const seconds = Math.round(this.silentMillis / 1_000);
    this.log.warn({ err }, `the database has not answered for ${seconds} s: ${reasonOf(err)}; trying again`);
  }

  #noteAnswer(): void {
    if (this.#reportFrom > 0) this.log.info({}, "the database answers again");
    this.#reportFrom = 0;
    this.#answeredAt = monotonic();
  }

  async #takeSlot(session: Session): Promise<void> {
    const { results } = await session.run([
      { name: "begin_write", values: [] },
      { name: "node_list", values: [] },
    ]);
    const rows = results[1]!.rows.map(memberOf);
    const taken = new Set(rows.filter(({ state }) => state !== "free").map(({ slot }) => slot));
    let slot = 0;
    while (taken.has(slot)) slot++;
    if (slot >= Number(SLOTS)) throw new StorageFault(`there are ${SLOTS} nodes on this database already`);
    const seen = rows.map((row) => (row.slot === slot ? row.reserved : row.last));
    const above = seen.reduce((most, one) => (one > most ? one : most), 0n);
    const values = [int8(slot), text(this.#options.owner), int8(above), int8(above)];
    await session.run([
      { name: "node_take", values },
      { name: "commit", values: [] },
    ]);
    this.#slot = slot;
    this.#reserved = above;
    this.revisions.take(slot, above);
    this.#isJoined = true;
  }

  async #withSession<T>(use: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#options.pool.acquire();
    try {
      return await use(session);
    } catch (error) {
      if (failureOf(error) === "gone") session.destroy(error as Error);
      else session.leave("rollback");
      throw error;
    } finally {
      this.#options.pool.release(session);
    }
  }

  async #beat(): Promise<void> {
    const wanted = this.#wantedReserve();
    const rows = await this.#withSession((session) =>
      this.#databaseClock.measure(async () => {
        const { results } = await session.run([
          {
            name: "node_beat",
            values: [int8(this.#slot), text(this.#options.owner), int8(this.revisions.last), int8(wanted)],
          },
          { name: "node_list", values: [] },
        ]);
        const at = results[0]!.rows[0]?.[0]?.readBigInt64BE();
        if (at === undefined) throw new DeclaredDead(`this node (${this.#options.owner}) was held for dead`);
        return { at: Number(at), answer: results[1]!.rows.map(memberOf) };
      }),
    ).catch((error: unknown) => {
      if (error instanceof DeclaredDead) this.#options.onBuried(error);
      throw error;
    });
    this.#noteAnswer();
    if (wanted > this.#reserved) this.#reserved = wanted;
    await this.#watch(rows);
    if (++this.#beats % LIMITS.outcomeSweepBeats === 0) this.#sweeping ??= this.#sweep();
  }

  #wantedReserve(): Revision {
    const now = revisionAt(this.clock.now());
    const least = (now > this.revisions.last ? now : this.revisions.last) + this.#unsynced();
    return least > this.#reserved ? least : this.#reserved;
  }

  async #watch(rows: readonly MemberRow[]): Promise<void> {
    const others = rows.filter(({ state, owner }) => state !== "free" && owner !== this.#options.owner);
    for (const owner of this.#watched.keys()) {
      if (!others.some((other) => other.owner === owner)) this.#watched.delete(owner);
    }
    for (const row of rows) this.revisions.observe(row.last);
    for (const { owner, slot, state, beat } of others) {
      if (state === "dead") this.#clearUp(owner, slot);
      else if (this.#isStill(owner, beat)) {
        this.log.warn({ member: owner }, "a node no longer answers: releasing what it held");
        const values = [int8(slot), text(owner), int8(beat)];
        const { results } = await this.#withSession((session) =>
          session.run([{ name: "node_bury", values }]),
        );
        if (results[0]?.tag === "UPDATE 1") this.#clearUp(owner, slot);
      }
    }
  }

  #isStill(owner: string, beat: bigint): boolean {
    if (monotonic() < this.#judgesFrom) return false;
    const seen = this.#watched.get(owner);
    if (seen === undefined || seen.beat !== beat) {
      this.#watched.set(owner, { beat, still: 0 });
      return false;
    }
    return ++seen.still >= LIMITS.missedBeatsMax;
  }

  /** Beside the heartbeat, which must not wait for it: this node would be held for dead as well. */
  #clearUp(owner: string, slot: number): void {
    if (this.#clearing.has(owner)) return;
    const clear = async (): Promise<void> => {
      try {
        await this.onDead(owner);
        const values = [int8(slot), text(owner)];
        await this.#withSession((session) => session.run([{ name: "node_free", values }]));
      } catch (err) {
        // Its row still says that it is dead: the next heartbeat, here or elsewhere, tries again.
        this.log.warn({ err, member: owner }, "what a dead node held could not be released yet");
      }
      this.#clearing.delete(owner);
    };
    this.#clearing.set(owner, clear());
  }

  /** Beside the heartbeat and on another connection: deleting much takes long. */
  async #sweep(): Promise<void> {
    const names = ["begin_plain", "long_statements", "forget_outcomes", "forget_passing", "commit"];
    const statements = names.map((name) => ({ name, values: [] }));
    try {
      await this.#withSession((session) => session.run(statements, true));
    } catch (err) {
      this.log.warn({ err }, "old operation ids could not be deleted; the next sweep tries again");
    }
    this.#sweeping = undefined;
  }

  /** Nodes beside this one that have not left: alive, or not yet known to be dead. */
  async countOthers(): Promise<number> {
    const { results } = await this.#withSession((session) =>
      session.run([{ name: "node_list", values: [] }]),
    );
    const rows = results[0]!.rows.map(memberOf);
    return rows.filter(({ state, owner }) => state !== "free" && owner !== this.#options.owner).length;
  }

  /** At an orderly end, when nothing is written any more. */
  async leave(): Promise<void> {
    this.#timer?.cancel();
    await this.#beating;
    await this.#sweeping;
    await Promise.all(this.#clearing.values());
    if (!this.#isJoined) return;
    // Whoever stops this process should not have to wait for a database that is away.
    if (this.silentMillis > LIMITS.databaseReadyMillis)
      throw new StorageFault("the database does not answer");
    const values = [int8(this.#slot), text(this.#options.owner), int8(this.revisions.last)];
    await this.#withSession((session) => session.run([{ name: "node_leave", values }]));
  }
}
