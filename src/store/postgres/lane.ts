import { type Clock, type Millis, monotonic, pause } from "../../base/clock.ts";
import { StorageFault } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import { systemRandom } from "../../base/random.ts";
import type { Soon, StoreFigures, Writer } from "../kv.ts";
import { Batch, type Outcome, type Run } from "./batch.ts";
import { failureOf, faultOf } from "./failures.ts";
import type { KnownRecords } from "./known-records.ts";
import type { Membership } from "./membership.ts";
import type { Pool } from "./pool.ts";
import { acquirePatiently } from "./read-groups.ts";
import type { Session } from "./session.ts";
import { int8, type Statement } from "./wire.ts";

interface Task {
  readonly run: Run;
  resolve(value: never): void;
  reject(error: unknown): void;
}

export interface LaneOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly membership: Membership;
  readonly known: KnownRecords;
  /** False for what need not outlive its owner: nobody waits for the disk. */
  readonly isDurable: boolean;
}

/**
 * How a node writes one key space: what has been asked for becomes a batch, one transaction of the database, while
 * the next batch gathers. A batch that loses against another node runs again; one whose COMMIT was not answered is
 * settled by its operation id before anybody hears.
 */
export class WriteLane {
  readonly #options: LaneOptions;
  readonly #opening: readonly Statement[];
  #queue: Task[] = [];
  #isRunning = false;
  #isClosed = false;
  #idle: (() => void)[] = [];
  #operations = 0n;
  #onCommit: (transactions: number) => void = () => {};
  readonly #figures = { commits: 0, transactions: 0, bytes: 0 };

  constructor(options: LaneOptions) {
    this.#options = options;
    const begin = { name: "begin_write", values: [] };
    this.#opening = options.isDurable ? [begin] : [begin, { name: "no_wait", values: [] }];
  }

  write<T>(fn: (write: Writer) => Soon<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new StorageFault("the store is closed"));
    if (this.#queue.length >= LIMITS.queuedTransactionsMax) {
      return Promise.reject(new StorageFault("too many transactions are waiting", { isTransient: true }));
    }
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({
        run: async (write) => fn(write),
        resolve: resolve as (value: never) => void,
        reject,
      });
      this.#wake();
    });
  }

  figures(): StoreFigures {
    return { ...this.#figures };
  }

  watchCommits(listener: (transactions: number) => void): void {
    this.#onCommit = listener;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#isRunning) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** After this turn of the event loop, so that what arrived in it shares the batch. */
  #wake(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(() => void this.#work());
  }

  async #work(): Promise<void> {
    while (this.#queue.length > 0) {
      const tasks = this.#queue.splice(0, LIMITS.batchTransactionsMax);
      try {
        await this.#options.membership.opened;
        const done = await this.#commitSome(tasks);
        this.#queue.unshift(...tasks.slice(done));
      } catch (error) {
        const fault = faultOf(error);
        for (const { reject } of tasks) reject(fault);
      }
      // The callers just answered, and whoever waited in the kernel, may join the next batch.
      if (this.#queue.length > 0) await new Promise<void>((resolve) => setImmediate(resolve));
    }
    this.#isRunning = false;
    for (const wake of this.#idle.splice(0)) wake();
  }

  /** Answers the first of these tasks, as many as one batch holds, and returns how many. */
  async #commitSome(tasks: readonly Task[]): Promise<number> {
    const start = monotonic();
    for (let tries = 1; ; tries++) {
      const session = await acquirePatiently(this.#options.pool);
      const tried = await this.#tryOnce(session, tasks);
      if ("outcomes" in tried) {
        for (const [i, outcome] of tried.outcomes.entries()) settle(tasks[i]!, outcome);
        return tried.outcomes.length;
      }
      const isWorthIt =
        tries < LIMITS.conflictTriesMax && monotonic() - start < LIMITS.databasePatienceMillis;
      const failure = failureOf(tried.error);
      if (!isWorthIt || failure === "full" || failure === "other") throw tried.error;
      await pause(backOff(tries));
    }
  }

  async #tryOnce(
    session: Session,
    tasks: readonly Task[],
  ): Promise<{ outcomes: Outcome[] } | { error: unknown }> {
    const { pool, clock, membership, known } = this.#options;
    const batch = new Batch({ opening: this.#opening, clock, revisions: membership.revisions, known });
    let outcomes: Outcome[];
    try {
      outcomes = await batch.run(
        session,
        tasks.map(({ run }) => run),
      );
    } catch (error) {
      batch.end(error);
      this.#giveBack(session, error);
      return { error };
    }
    const operation = batch.accepted.writes.size === 0 ? undefined : this.#nextOperation();
    const closing = batch.closing([
      ...membership.reserving(batch.highest),
      ...(operation === undefined ? [] : [{ name: "outcome", values: [operation] }]),
    ]);
    let isInDoubt = false;
    try {
      const { results, isWarned } = await session.run(closing);
      if (results.at(-1)?.tag !== "COMMIT") throw new StorageFault("the database did not commit");
      // Committed, but a wait was cut short (a standby has not confirmed): settling waits for it again.
      isInDoubt = isWarned && operation !== undefined;
      pool.release(session);
    } catch (error) {
      batch.end(error);
      this.#giveBack(session, error);
      if (operation === undefined || !session.isLost) return { error };
      if (!(await this.#hasLanded(operation))) return { error };
    }
    if (isInDoubt && !(await this.#hasLanded(operation!)))
      return { error: new StorageFault("a commit was lost") };
    batch.end(new StorageFault("the transaction is over"));
    membership.reserved(batch.highest);
    this.#count(batch, outcomes.length);
    return { outcomes };
  }

  #count({ accepted }: Batch, transactions: number): void {
    this.#figures.transactions += transactions;
    if (accepted.writes.size === 0) return;
    this.#figures.commits++;
    this.#figures.bytes += accepted.bytes;
    this.#onCommit(transactions);
  }

  /** Ends what the failed unit left open; a connection that leads nowhere is thrown away. */
  #giveBack(session: Session, error: unknown): void {
    if (failureOf(error) === "gone") session.destroy(error as Error);
    else session.leave("rollback");
    this.#options.pool.release(session);
  }

  /** Unique for ever: the name of this run of the node, and a count. */
  #nextOperation(): Buffer {
    return Buffer.concat([this.#options.membership.incarnation, int8(++this.#operations)]);
  }

  /**
   * Whether a transaction whose COMMIT was not answered has been made. Asks until the database answers: nobody may
   * hear anything before that. A node that was held for dead meanwhile gets no answer: operation ids are forgotten
   * after a while, and it is about to stop.
   */
  async #hasLanded(operation: Buffer): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        const session = await this.#options.pool.acquire();
        try {
          const { results, isWarned } = await session.run([
            this.#options.membership.fence(),
            { name: "settle", values: [operation] },
          ]);
          if (!isWarned) return results[1]!.rows[0]![0]![0] === 0;
        } finally {
          this.#options.pool.release(session);
        }
      } catch (error) {
        this.#options.membership.log.warn({ err: error }, "a commit without an answer is not settled yet");
      }
      await pause(backOff(tries));
    }
  }
}

function settle({ resolve, reject }: Task, outcome: Outcome): void {
  if ("error" in outcome) reject(outcome.error);
  else resolve(outcome.value as never);
}

/** Longer with every try, and never the same for two nodes that have just met. */
function backOff(tries: number): Millis {
  const most = Math.min(LIMITS.conflictDelayMax, LIMITS.conflictDelayMin * 2 ** Math.min(tries, 16));
  return most * (0.25 + 0.75 * systemRandom.fraction());
}
