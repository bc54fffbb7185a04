import { type Clock, type Millis, monotonic, pause, systemTimers, type Timer } from "../../base/clock.ts";
import { OutcomeUnknown, StorageFault } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import { systemRandom } from "../../base/random.ts";
import type { MaybePromise, StoreStats, Writer } from "../kv.ts";
import { acquirePatiently, lateFault } from "./acquire-patiently.ts";
import { Batch, type Outcome, type Run } from "./batch.ts";
import { failureOf, faultOf, reasonOf } from "./failures.ts";
import type { RecordCache } from "./known-records.ts";
import type { Membership } from "./membership.ts";
import type { Pool } from "./pool.ts";
import type { Session } from "./session.ts";
import { WaitReport } from "./wait-report.ts";
import { int8, type Statement } from "./wire.ts";

interface Task {
  readonly run: Run;
  readonly queuedAt: Millis;
  /** Its caller has heard, and nothing that happens later is for it. */
  isAnswered: boolean;
  resolve(value: never): void;
  reject(error: unknown): void;
}

/**
 * The batch in hand.
 *
 *   waiting     for a connection, or to run again: nothing of it is in the database, nor on its way there
 *   reading     its transaction is open and its commit not sent: without the connection nothing comes of it
 *   committing  the commit is sent: what becomes of it is known when the database says so, and not before
 */
interface InHand {
  tasks: Task[];
  phase: "waiting" | "reading" | "committing";
  session: Session | undefined;
  committingSince: Millis;
  /** Why the last attempt came to nothing. */
  lastError: unknown;
  /** Those who were told that the outcome is unknown. */
  readonly whenKnown: ((landed: boolean) => void)[];
}

export interface LaneOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly membership: Membership;
  readonly known: RecordCache;
  /** False for what need not outlive its owner: nobody waits for the disk. */
  readonly isDurable: boolean;
}

/**
 * How a node writes one key space: what has been asked for becomes a batch, one transaction of the database, while
 * the next batch gathers. A batch that loses against another node runs again. One whose COMMIT was not answered is
 * looked up by its operation id, for as long as that takes, and no other batch is begun before that.
 *
 * Callers wait no longer than `LIMITS.databasePatienceMillis`. Whose commit has not been sent hears a transient fault:
 * it was not made and never will be. Whose commit has been sent and not answered hears `OutcomeUnknown`.
 */
export class WriteLane {
  readonly #options: LaneOptions;
  readonly #opening: readonly Statement[];
  readonly #sweeper: Timer;
  #queue: Task[] = [];
  #inHand: InHand | undefined;
  #isRunning = false;
  #isClosed = false;
  #idle: (() => void)[] = [];
  #operations = 0n;
  #onCommit: (transactions: number) => void = () => {};
  readonly #stats = { commits: 0, transactions: 0, bytes: 0 };

  constructor(options: LaneOptions) {
    this.#options = options;
    const begin = { name: "begin_write", values: [] };
    this.#opening = options.isDurable ? [begin] : [begin, { name: "no_wait", values: [] }];
    this.#sweeper = systemTimers.every(LIMITS.databaseLateMillis, () => this.#answerLate());
  }

  write<T>(fn: (write: Writer) => MaybePromise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new StorageFault("the store is closed"));
    if (this.#queue.length >= LIMITS.queuedTransactionsMax) {
      return Promise.reject(new StorageFault("too many transactions are waiting", { isTransient: true }));
    }
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({
        run: async (write) => fn(write),
        queuedAt: monotonic(),
        isAnswered: false,
        resolve: resolve as (value: never) => void,
        reject,
      });
      this.#wake();
    });
  }

  stats(): StoreStats {
    return { ...this.#stats };
  }

  watchCommits(listener: (transactions: number) => void): void {
    this.#onCommit = listener;
  }

  /** How long the commit in hand has not been answered; 0 when there is none. */
  get unansweredMillis(): Millis {
    const inHand = this.#inHand;
    return inHand?.phase === "committing" ? monotonic() - inHand.committingSince : 0;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#isRunning) await new Promise<void>((resolve) => this.#idle.push(resolve));
    this.#sweeper.cancel();
  }

  /** Answers those who have waited as long as one does, with what is certain of their writes. */
  #answerLate(): void {
    const latest = monotonic() - LIMITS.databasePatienceMillis;
    let count = 0;
    while (count < this.#queue.length && this.#queue[count]!.queuedAt <= latest) count++;
    const inHand = this.#inHand;
    if (count > 0)
      for (const task of this.#queue.splice(0, count)) refuse(task, lateFault(inHand?.lastError));
    const late = inHand?.tasks.filter((task) => !task.isAnswered && task.queuedAt <= latest) ?? [];
    if (inHand === undefined || late.length === 0) return;
    if (inHand.phase === "committing") {
      for (const task of late) refuse(task, unknownOutcome(inHand));
      return;
    }
    if (inHand.phase === "reading") {
      // A long transaction that is being answered goes on; one that stands still ends here, with its connection.
      if (inHand.session!.silentMillis < LIMITS.databaseWatchMillis) return;
      inHand.session!.destroy(new Error("the database has stopped answering"));
    }
    for (const task of late) refuse(task, lateFault(inHand.lastError));
  }

  /** After this tick of the event loop, so that what arrived in it shares the batch. */
  #wake(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(() => void this.#work());
  }

  async #work(): Promise<void> {
    while (this.#queue.length > 0) {
      const inHand: InHand = {
        tasks: this.#queue.splice(0, LIMITS.batchTransactionsMax),
        phase: "waiting",
        session: undefined,
        committingSince: 0,
        lastError: undefined,
        whenKnown: [],
      };
      this.#inHand = inHand;
      try {
        await this.#options.membership.opened;
        const left = await this.#commitSome(inHand);
        this.#queue.unshift(...left);
      } catch (error) {
        const fault = faultOf(error);
        for (const task of inHand.tasks) refuse(task, fault);
      }
      this.#inHand = undefined;
      // The callers just answered, and those that waited in the kernel, may join the next batch.
      if (this.#queue.length > 0) await new Promise<void>((resolve) => setImmediate(resolve));
    }
    this.#isRunning = false;
    for (const wake of this.#idle.splice(0)) wake();
  }

  /** Answers the first of these tasks, as many as one batch holds, and returns the others. */
  async #commitSome(inHand: InHand): Promise<readonly Task[]> {
    let conflicts = 0;
    for (let tries = 1; ; tries++) {
      inHand.phase = "waiting";
      refuseLate(inHand);
      const youngest = inHand.tasks.at(-1);
      if (youngest === undefined) return [];
      const deadline = youngest.queuedAt + LIMITS.databasePatienceMillis;
      const session = await acquirePatiently(this.#options.pool, deadline);
      refuseLate(inHand);
      if (inHand.tasks.length === 0) {
        this.#options.pool.release(session);
        return [];
      }
      const tried = await this.#tryOnce(session, inHand);
      for (const hear of inHand.whenKnown.splice(0)) hear("outcomes" in tried);
      if ("outcomes" in tried) {
        for (const [i, outcome] of tried.outcomes.entries()) settle(inHand.tasks[i]!, outcome);
        return inHand.tasks.slice(tried.outcomes.length).filter(({ isAnswered }) => !isAnswered);
      }
      inHand.lastError = tried.error;
      const failure = failureOf(tried.error);
      if (failure === "full" || failure === "other") throw tried.error;
      if (failure === "conflict" && ++conflicts >= LIMITS.conflictTriesMax) throw tried.error;
      await pause(backOff(tries));
    }
  }

  async #tryOnce(session: Session, inHand: InHand): Promise<{ outcomes: Outcome[] } | { error: unknown }> {
    const { pool, clock, membership, known } = this.#options;
    inHand.session = session;
    inHand.phase = "reading";
    const batch = new Batch({ opening: this.#opening, clock, revisions: membership.revisions, known });
    let outcomes: Outcome[];
    try {
      outcomes = await batch.run(
        session,
        inHand.tasks.map(({ run }) => run),
      );
    } catch (error) {
      batch.end(error);
      this.#requeue(session, error);
      return { error };
    }
    const operation = batch.accepted.writes.size === 0 ? undefined : this.#nextOperation();
    const closing = batch.closing([
      ...membership.reserving(batch.highest),
      ...(operation === undefined ? [] : [{ name: "outcome", values: [operation] }]),
    ]);
    const isSent = !session.isLost;
    if (operation !== undefined && isSent) {
      inHand.phase = "committing";
      inHand.committingSince = monotonic();
    }
    let isInDoubt = false;
    try {
      const { results, isWarned } = await session.run(closing);
      if (results.at(-1)?.tag !== "COMMIT") throw new StorageFault("the database did not commit");
      // Committed, but a wait was cut short (a standby has not confirmed): looking it up waits for it again.
      isInDoubt = isWarned && operation !== undefined;
      pool.release(session);
    } catch (error) {
      batch.end(error);
      this.#requeue(session, error);
      if (operation === undefined || !isSent || !session.isLost) return { error };
      if (!(await this.#hasLanded(operation, inHand, error))) return { error };
    }
    if (isInDoubt && !(await this.#hasLanded(operation!, inHand, "a standby has not confirmed it")))
      return { error: new StorageFault("a commit was lost") };
    batch.end(new StorageFault("the transaction is over"));
    membership.reserved(batch.highest);
    this.#count(batch, outcomes.length);
    return { outcomes };
  }

  #count({ accepted }: Batch, transactions: number): void {
    this.#stats.transactions += transactions;
    if (accepted.writes.size === 0) return;
    this.#stats.commits++;
    this.#stats.bytes += accepted.bytes;
    this.#onCommit(transactions);
  }

  /** Ends what the failed unit left open; a connection that leads nowhere is thrown away. */
  #requeue(session: Session, error: unknown): void {
    if (failureOf(error) === "gone") session.destroy(error as Error);
    else session.leave("rollback");
    this.#options.pool.release(session);
  }

  /** Unique for ever: the name of this run of the node, and a count. */
  #nextOperation(): Buffer {
    return Buffer.concat([this.#options.membership.incarnation, int8(++this.#operations)]);
  }

  /**
   * Whether a transaction whose COMMIT was not answered has been made. Asks until the database answers: until then its
   * callers may hear nothing but that it is unknown. A node that was held for dead meanwhile gets no answer: operation
   * ids are deleted after a while, and it is about to stop. A store that is closed stops asking once its callers have
   * been answered.
   */
  async #hasLanded(operation: Buffer, inHand: InHand, doubt: unknown): Promise<boolean> {
    const { pool, membership } = this.#options;
    const report = new WaitReport(membership.log, "finding out whether a commit without an answer was made");
    report.reason = typeof doubt === "string" ? doubt : reasonOf(doubt);
    try {
      for (let tries = 1; ; tries++) {
        try {
          const session = await pool.acquire();
          try {
            const { results, isWarned } = await session.run([
              membership.fence(),
              { name: "settle", values: [operation] },
            ]);
            if (!isWarned) return results[1]!.rows[0]![0]![0] === 0;
          } finally {
            pool.release(session);
          }
        } catch (error) {
          report.reason = reasonOf(error);
        }
        if (this.#isClosed && inHand.tasks.every(({ isAnswered }) => isAnswered))
          throw new StorageFault("the store was closed before the outcome of a commit was known");
        await pause(backOff(tries));
      }
    } finally {
      report.end();
    }
  }
}

function unknownOutcome({ whenKnown }: InHand): OutcomeUnknown {
  const landed = new Promise<boolean>((resolve) => whenKnown.push(resolve));
  return new OutcomeUnknown(
    `the database has not answered a commit for ${LIMITS.databasePatienceMillis / 1_000} s: it may have been made`,
    landed,
  );
}

/** Drops the tasks that have been answered, and those whose time is over; nothing of them is in the database. */
function refuseLate(inHand: InHand): void {
  const latest = monotonic() - LIMITS.databasePatienceMillis;
  const isOver = ({ isAnswered, queuedAt }: Task): boolean => isAnswered || queuedAt <= latest;
  // In the order they came: when the first is not over, none is.
  if (inHand.tasks.length === 0 || !isOver(inHand.tasks[0]!)) return;
  for (const task of inHand.tasks) if (isOver(task)) refuse(task, lateFault(inHand.lastError));
  inHand.tasks = inHand.tasks.filter(({ isAnswered }) => !isAnswered);
}

function refuse(task: Task, error: unknown): void {
  if (task.isAnswered) return;
  task.isAnswered = true;
  task.reject(error);
}

function settle(task: Task, outcome: Outcome): void {
  if (task.isAnswered) return;
  task.isAnswered = true;
  if ("error" in outcome) task.reject(outcome.error);
  else task.resolve(outcome.value as never);
}

/** Longer with every try, and never the same for two nodes that have just met. */
function backOff(tries: number): Millis {
  const most = Math.min(LIMITS.conflictDelayMax, LIMITS.conflictDelayMin * 2 ** Math.min(tries, 16));
  return most * (0.25 + 0.75 * systemRandom.fraction());
}
