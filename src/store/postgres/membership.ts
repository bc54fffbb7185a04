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
import { prepared, type Tables } from "./sql.ts";
import { int8, type Prepared, type Row, type Statement, text } from "./wire.ts";

export function memberStatements({ members, records, ephemeral }: Tables): Prepared[] {
  const mine = "WHERE slot = $1::bigint AND owner = $2::text";
  // After this long no member looks the outcome of an operation up.
  const old = "WHERE at < now() - interval '1 hour'";
  return prepared({
    member_list: `SELECT slot, owner, state, beat, last, reserved FROM ${members}`,
    member_join:
      `INSERT INTO ${members} (slot, owner, state, beat, last, reserved) ` +
      "VALUES ($1::bigint, $2::text, 'alive', 0, $3::bigint, $4::bigint) ON CONFLICT (slot) DO UPDATE SET " +
      "owner = excluded.owner, state = 'alive', beat = 0, last = excluded.last, reserved = excluded.reserved",
    member_beat:
      `UPDATE ${members} SET beat = beat + 1, last = $3::bigint, reserved = greatest(reserved, $4::bigint) ${mine} ` +
      "AND state = 'alive' RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::bigint",
    member_reserve: `UPDATE ${members} SET reserved = greatest(reserved, $3::bigint) ${mine} AND state = 'alive'`,
    // Fails, and the transaction with it, when this member was declared dead.
    member_fence: `SELECT 1 / (SELECT count(*) FROM ${members} ${mine} AND state = 'alive')`,
    member_bury: `UPDATE ${members} SET state = 'dead' ${mine} AND beat = $3::bigint AND state = 'alive'`,
    member_free: `UPDATE ${members} SET state = 'free' ${mine} AND state = 'dead'`,
    member_leave: `UPDATE ${members} SET state = 'free', last = $3::bigint, reserved = $3::bigint ${mine}`,
    forget_outcomes: `DELETE FROM ${records.outcomes} ${old}`,
    forget_ephemeral_outcomes: `DELETE FROM ${ephemeral.outcomes} ${old}`,
  });
}

/** How far above the last revision a member reserves, so that few commits have to write its row. */
const RESERVED_REVISIONS = revisionAt(LIMITS.reservedRevisionsMillis) - revisionAt(0);

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
  /** A test's clock; without it the clock of the database applies. */
  readonly clock: Clock | undefined;
  readonly systemClock: Clock;
  /** This member was declared dead and its records were released: it must stop. */
  readonly onDeclaredDead: (error: Error) => void;
}

/**
 * The members of the cluster, i.e. the processes that share the database: a row for each, with a heartbeat. A
 * member whose beat has not moved during several beats of another one is dead: the other marks it, releases
 * its records, and frees its slot. No clocks are compared, and an outage of the database declares no member
 * dead, because no beats are counted meanwhile.
 */
export class Membership {
  readonly clock: Clock;
  readonly revisions: SlotRevisions;
  readonly log: Log;
  /** Identifies this run of the process in operation ids. */
  readonly incarnation = systemRandom.bytes(16);
  readonly opened: Promise<void>;
  /** Releases the records of a dead member. May be called twice for the same one. */
  onDead: (owner: string) => Promise<void> = async () => {};
  readonly #options: MembershipOptions;
  readonly #databaseClock: DatabaseClock;
  /** For each other member: its last beat, and the number of our beats since. */
  readonly #watched = new Map<string, { beat: bigint; missed: number }>();
  #slot = 0;
  #reserved: Revision = 0n;
  #beats = 0;
  #timer: Timer | undefined;
  #beating: Promise<void> | undefined;
  #sweeping: Promise<unknown> | undefined;
  #answeredAt: Millis = 0;
  /** When to log again that the database does not answer. */
  #reportFrom: Millis = 0;
  #isJoined = false;
  #countsFrom: Millis = 0;
  readonly #releasing = new Map<string, Promise<void>>();

  constructor(options: MembershipOptions, prepared: Promise<void>) {
    this.#options = options;
    this.log = options.log;
    this.#databaseClock = new DatabaseClock(options.systemClock);
    this.clock = options.clock ?? this.#databaseClock;
    this.revisions = new SlotRevisions(this.clock);
    this.opened = prepared.then(() => this.#join());
    // Reads and writes report the error.
    this.opened.catch(() => {});
  }

  /** The statements to commit along with revisions up to `highest`: none while they are reserved. */
  reserving(highest: Revision): Statement[] {
    if (highest <= this.#reserved) return [];
    const me = [int8(this.#slot), text(this.#options.owner)];
    return [{ name: "member_reserve", values: [...me, int8(highest + RESERVED_REVISIONS)] }, this.fence()];
  }

  /** Fails when this member was declared dead. */
  fence(): Statement {
    return { name: "member_fence", values: [int8(this.#slot), text(this.#options.owner)] };
  }

  reserved(highest: Revision): void {
    if (highest > this.#reserved) this.#reserved = highest + RESERVED_REVISIONS;
  }

  async #join(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#withSession((session) => this.#claimSlot(session));
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
          // Other members may take longer to reach the database again.
          this.#watched.clear();
          this.#countsFrom = monotonic() + LIMITS.databasePatienceMillis;
        })
        .finally(() => {
          this.#beating = undefined;
        });
    });
  }

  /** How long ago the database last accepted a heartbeat, which is a write. */
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

  async #claimSlot(session: Session): Promise<void> {
    const { results } = await session.run([
      { name: "begin_write", values: [] },
      { name: "member_list", values: [] },
    ]);
    const rows = results[1]!.rows.map(memberOf);
    const used = new Set(rows.filter(({ state }) => state !== "free").map(({ slot }) => slot));
    let slot = 0;
    while (used.has(slot)) slot++;
    if (slot >= Number(SLOTS)) throw new StorageFault(`this database has ${SLOTS} members already`);
    const seen = rows.map((row) => (row.slot === slot ? row.reserved : row.last));
    const above = seen.reduce((most, revision) => (revision > most ? revision : most), 0n);
    const values = [int8(slot), text(this.#options.owner), int8(above), int8(above)];
    await session.run([
      { name: "member_join", values },
      { name: "commit", values: [] },
    ]);
    this.#slot = slot;
    this.#reserved = above;
    this.revisions.assign(slot, above);
    this.#isJoined = true;
  }

  async #withSession<T>(use: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#options.pool.acquire();
    try {
      return await use(session);
    } catch (error) {
      if (failureOf(error) === "gone") session.destroy(error as Error);
      else session.endTransaction("rollback");
      throw error;
    } finally {
      this.#options.pool.release(session);
    }
  }

  async #beat(): Promise<void> {
    const reserve = this.#nextReserve();
    const rows = await this.#withSession((session) =>
      this.#databaseClock.measure(async () => {
        const { results } = await session.run([
          {
            name: "member_beat",
            values: [int8(this.#slot), text(this.#options.owner), int8(this.revisions.last), int8(reserve)],
          },
          { name: "member_list", values: [] },
        ]);
        const at = results[0]!.rows[0]?.[0]?.readBigInt64BE();
        if (at === undefined)
          throw new DeclaredDead(`this member (${this.#options.owner}) was declared dead`);
        return { at: Number(at), answer: results[1]!.rows.map(memberOf) };
      }),
    ).catch((error: unknown) => {
      if (error instanceof DeclaredDead) this.#options.onDeclaredDead(error);
      throw error;
    });
    this.#noteAnswer();
    if (reserve > this.#reserved) this.#reserved = reserve;
    await this.#watch(rows);
    if (++this.#beats % LIMITS.outcomeSweepBeats === 0) this.#sweeping ??= this.#sweep();
  }

  #nextReserve(): Revision {
    const now = revisionAt(this.clock.now());
    const least = (now > this.revisions.last ? now : this.revisions.last) + RESERVED_REVISIONS;
    return least > this.#reserved ? least : this.#reserved;
  }

  async #watch(rows: readonly MemberRow[]): Promise<void> {
    const others = rows.filter(({ state, owner }) => state !== "free" && owner !== this.#options.owner);
    for (const owner of this.#watched.keys()) {
      if (!others.some((other) => other.owner === owner)) this.#watched.delete(owner);
    }
    for (const row of rows) this.revisions.observe(row.last);
    for (const { owner, slot, state, beat } of others) {
      if (state === "dead") this.#releaseDead(owner, slot);
      else if (this.#isSilent(owner, beat)) {
        this.log.warn({ member: owner }, "a member no longer answers: releasing its records");
        const values = [int8(slot), text(owner), int8(beat)];
        const { results } = await this.#withSession((session) =>
          session.run([{ name: "member_bury", values }]),
        );
        if (results[0]?.tag === "UPDATE 1") this.#releaseDead(owner, slot);
      }
    }
  }

  #isSilent(owner: string, beat: bigint): boolean {
    if (monotonic() < this.#countsFrom) return false;
    const seen = this.#watched.get(owner);
    if (seen === undefined || seen.beat !== beat) {
      this.#watched.set(owner, { beat, missed: 0 });
      return false;
    }
    return ++seen.missed >= LIMITS.missedBeatsMax;
  }

  /** Concurrent with the heartbeat: this member would be declared dead while it waits. */
  #releaseDead(owner: string, slot: number): void {
    if (this.#releasing.has(owner)) return;
    const release = async (): Promise<void> => {
      try {
        await this.onDead(owner);
        const values = [int8(slot), text(owner)];
        await this.#withSession((session) => session.run([{ name: "member_free", values }]));
      } catch (err) {
        // Its row still marks it as dead: the next heartbeat of any member tries again.
        this.log.warn({ err, member: owner }, "could not release the records of a dead member yet");
      }
      this.#releasing.delete(owner);
    };
    this.#releasing.set(owner, release());
  }

  /** On another connection than the heartbeat: deleting many rows takes long. */
  async #sweep(): Promise<void> {
    const names = [
      "begin_plain",
      "long_statements",
      "forget_outcomes",
      "forget_ephemeral_outcomes",
      "commit",
    ];
    const statements = names.map((name) => ({ name, values: [] }));
    try {
      await this.#withSession((session) => session.run(statements, true));
    } catch (err) {
      this.log.warn({ err }, "could not delete old operation ids; the next sweep tries again");
    }
    this.#sweeping = undefined;
  }

  /** Other members that have not left: alive, or not declared dead yet. */
  async countOthers(): Promise<number> {
    const { results } = await this.#withSession((session) =>
      session.run([{ name: "member_list", values: [] }]),
    );
    const rows = results[0]!.rows.map(memberOf);
    return rows.filter(({ state, owner }) => state !== "free" && owner !== this.#options.owner).length;
  }

  /** At an orderly shutdown, after the last write. */
  async leave(): Promise<void> {
    this.#timer?.cancel();
    await this.#beating;
    await this.#sweeping;
    await Promise.all(this.#releasing.values());
    if (!this.#isJoined) return;
    // Shutdown must not wait for a database that does not answer.
    if (this.silentMillis > LIMITS.databaseReadyMillis)
      throw new StorageFault("the database does not answer");
    const values = [int8(this.#slot), text(this.#options.owner), int8(this.revisions.last)];
    await this.#withSession((session) => session.run([{ name: "member_leave", values }]));
  }
}
