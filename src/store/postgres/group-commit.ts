import { type Clock, type Millis, monotonic, pause, systemTimers, type Timer } from "../../base/clock.ts";
import { OutcomeUnknown, StorageFault } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import { systemRandom } from "../../base/random.ts";
import type { StoreStats, WriteWork } from "../kv.ts";
import { Batch, type Outcome } from "./batch.ts";
import { failureOf, faultOf, reasonOf } from "./failures.ts";
import type { Membership } from "./membership.ts";
import { lateFault, type Pool } from "./pool.ts";
import type { RecordCache } from "./record-cache.ts";
import type { Session } from "./session.ts";
import { WaitReport } from "./wait-report.ts";
import { int8, type Statement } from "./wire.ts";

interface Task {
  readonly work: WriteWork<unknown>;
  readonly queuedAt: Millis;
  /** Its caller has the outcome; later events do not concern it. */
  isAnswered: boolean;
  resolve(value: never): void;
  reject(error: unknown): void;
}

/**
 * The batch that is being committed.
 *
 *   waiting     for a connection, or to run again: nothing was sent to the database
 *   reading     the transaction is open and its commit not sent: it ends with the connection
 *   committing  the commit is sent: only the database knows its outcome
 */
interface BatchInFlight {
  tasks: Task[];
  phase: "waiting" | "reading" | "committing";
  session: Session | undefined;
  committingSince: Millis;
  /** Why the last attempt failed. */
  lastError: unknown;
  /** Resolves the `landed` promises of callers that got `OutcomeUnknown`. */
  readonly whenKnown: ((landed: boolean) => void)[];
}

export interface GroupCommitOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly membership: Membership;
  readonly cache: RecordCache;
  /** False for the ephemeral space: commits do not wait for the disk. */
  readonly isDurable: boolean;
}

/**
 * Group commit to one key space: the queued transactions become a batch, one transaction of the database,
 * while the next batch gathers. A batch that conflicts with another member runs again. When the COMMIT is not
 * answered, its operation id is looked up until the database answers, and no other batch begins before that.
 *
 * Callers wait for at most `LIMITS.databasePatienceMillis`. If the commit was not sent, the caller gets a
 * transient fault: it did not happen and never will. If it was sent and not answered, the caller gets
 * `OutcomeUnknown`.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  readonly #opening: readonly Statement[];
  readonly #sweeper: Timer;
  #queue: Task[] = [];
  #inFlight: BatchInFlight | undefined;
  #isRunning = false;
  #isClosed = false;
  #idle: (() => void)[] = [];
  #operations = 0n;
  #onCommit: (transactions: number) => void = () => {};
  readonly #stats = { commits: 0, transactions: 0, bytes: 0 };

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    const begin = { name: "begin_write", values: [] };
    this.#opening = options.isDurable ? [begin] : [begin, { name: "no_sync", values: [] }];
    this.#sweeper = systemTimers.every(LIMITS.databaseLateMillis, () => this.#answerLate());
  }

  write<T>(work: WriteWork<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new StorageFault("the store is closed"));
    if (this.#queue.length >= LIMITS.queuedTransactionsMax) {
      return Promise.reject(new StorageFault("too many transactions are waiting", { isTransient: true }));
    }
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({
        work,
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

  /** How long the current commit has waited for its answer; 0 when there is none. */
  get unansweredMillis(): Millis {
    const inFlight = this.#inFlight;
    return inFlight?.phase === "committing" ? monotonic() - inFlight.committingSince : 0;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#isRunning) await new Promise<void>((resolve) => this.#idle.push(resolve));
    this.#sweeper.cancel();
  }

  /** Answers callers that have waited too long, with what is certain about their writes. */
  #answerLate(): void {
    const latest = monotonic() - LIMITS.databasePatienceMillis;
    let count = 0;
    while (count < this.#queue.length && this.#queue[count]!.queuedAt <= latest) count++;
    const inFlight = this.#inFlight;
    if (count > 0)
      for (const task of this.#queue.splice(0, count)) refuse(task, lateFault(inFlight?.lastError));
    const late = inFlight?.tasks.filter((task) => !task.isAnswered && task.queuedAt <= latest) ?? [];
    if (inFlight === undefined || late.length === 0) return;
    if (inFlight.phase === "committing") {
      for (const task of late) refuse(task, unknownOutcome(inFlight));
      return;
    }
    if (inFlight.phase === "reading") {
      // A long transaction that still gets answers continues; a stalled one ends here, with its connection.
      if (inFlight.session!.silentMillis < LIMITS.databaseWatchMillis) return;
      inFlight.session!.destroy(new Error("the database has stopped answering"));
    }
    for (const task of late) refuse(task, lateFault(inFlight.lastError));
  }

  /** After this tick of the event loop, so that all its writes share the batch. */
  #wake(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(() => void this.#work());
  }

  async #work(): Promise<void> {
    while (this.#queue.length > 0) {
      const inFlight: BatchInFlight = {
        tasks: this.#queue.splice(0, LIMITS.batchTransactionsMax),
        phase: "waiting",
        session: undefined,
        committingSince: 0,
        lastError: undefined,
        whenKnown: [],
      };
      this.#inFlight = inFlight;
      try {
        await this.#options.membership.opened;
        const left = await this.#commitSome(inFlight);
        this.#queue.unshift(...left);
      } catch (error) {
        const fault = faultOf(error);
        for (const task of inFlight.tasks) refuse(task, fault);
      }
      this.#inFlight = undefined;
      // New writes of the callers just answered, and requests waiting in the kernel, may join the next batch.
      if (this.#queue.length > 0) await new Promise<void>((resolve) => setImmediate(resolve));
    }
    this.#isRunning = false;
    for (const wake of this.#idle.splice(0)) wake();
  }

  /** Commits the first of these tasks, as many as one batch holds, and returns the others. */
  async #commitSome(inFlight: BatchInFlight): Promise<readonly Task[]> {
    let conflicts = 0;
    for (let tries = 1; ; tries++) {
      inFlight.phase = "waiting";
      refuseLate(inFlight);
      const youngest = inFlight.tasks.at(-1);
      if (youngest === undefined) return [];
      const deadline = youngest.queuedAt + LIMITS.databasePatienceMillis;
      const session = await this.#options.pool.acquireBy(deadline);
      refuseLate(inFlight);
      if (inFlight.tasks.length === 0) {
        this.#options.pool.release(session);
        return [];
      }
      const tried = await this.#tryOnce(session, inFlight);
      for (const report of inFlight.whenKnown.splice(0)) report("outcomes" in tried);
      if ("outcomes" in tried) {
        for (const [i, outcome] of tried.outcomes.entries()) answer(inFlight.tasks[i]!, outcome);
        return inFlight.tasks.slice(tried.outcomes.length).filter(({ isAnswered }) => !isAnswered);
      }
      inFlight.lastError = tried.error;
      const failure = failureOf(tried.error);
      if (failure === "full" || failure === "other") throw tried.error;
      if (failure === "conflict" && ++conflicts >= LIMITS.conflictTriesMax) throw tried.error;
      await pause(backOff(tries));
    }
  }

  async #tryOnce(
    session: Session,
    inFlight: BatchInFlight,
  ): Promise<{ outcomes: Outcome[] } | { error: unknown }> {
    const { pool, clock, membership, cache } = this.#options;
    inFlight.session = session;
    inFlight.phase = "reading";
    const batch = new Batch({ opening: this.#opening, clock, revisions: membership.revisions, cache });
    let outcomes: Outcome[];
    try {
      outcomes = await batch.run(
        session,
        inFlight.tasks.map(({ work }) => work),
      );
    } catch (error) {
      batch.end(error);
      this.#abandon(session, error);
      return { error };
    }
    const operation = batch.accepted.writes.size === 0 ? undefined : this.#nextOperation();
    const closing = batch.closing([
      ...membership.reserving(batch.highest),
      ...(operation === undefined ? [] : [{ name: "outcome", values: [operation] }]),
    ]);
    const isSent = !session.isLost;
    if (operation !== undefined && isSent) {
      inFlight.phase = "committing";
      inFlight.committingSince = monotonic();
    }
    let isInDoubt = false;
    try {
      const { results, isWarned } = await session.run(closing);
      if (results.at(-1)?.tag !== "COMMIT") throw new StorageFault("the database did not commit");
      // Committed, but a standby has not confirmed: the lookup waits for it again.
      isInDoubt = isWarned && operation !== undefined;
      pool.release(session);
    } catch (error) {
      batch.end(error);
      this.#abandon(session, error);
      if (operation === undefined || !isSent || !session.isLost) return { error };
      if (!(await this.#resolveInDoubt(operation, inFlight, error))) return { error };
    }
    if (isInDoubt && !(await this.#resolveInDoubt(operation!, inFlight, "a standby has not confirmed it")))
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

  /** Ends the transaction of a failed unit; closes a connection that is broken. */
  #abandon(session: Session, error: unknown): void {
    if (failureOf(error) === "gone") session.destroy(error as Error);
    else session.endTransaction("rollback");
    this.#options.pool.release(session);
  }

  /** Unique for ever: the incarnation of this member, and a counter. */
  #nextOperation(): Buffer {
    return Buffer.concat([this.#options.membership.incarnation, int8(++this.#operations)]);
  }

  /**
   * Whether a transaction whose COMMIT was not answered has committed. Retries until the database answers:
   * until then its outcome is unknown. A member that was declared dead meanwhile gets no answer, because
   * operation ids are deleted after a while, and it is about to stop. A closed store stops retrying once its
   * callers have been answered.
   */
  async #resolveInDoubt(operation: Buffer, inFlight: BatchInFlight, doubt: unknown): Promise<boolean> {
    const { pool, membership } = this.#options;
    const report = new WaitReport(membership.log, "finding out whether an unanswered commit was made");
    report.reason = typeof doubt === "string" ? doubt : reasonOf(doubt);
    try {
      for (let tries = 1; ; tries++) {
        try {
          const session = await pool.acquire();
          try {
            const { results, isWarned } = await session.run([
              membership.fence(),
              { name: "resolve_in_doubt", values: [operation] },
            ]);
            if (!isWarned) return results[1]!.rows[0]![0]![0] === 0;
          } finally {
            pool.release(session);
          }
        } catch (error) {
          report.reason = reasonOf(error);
        }
        if (this.#isClosed && inFlight.tasks.every(({ isAnswered }) => isAnswered))
          throw new StorageFault("the store was closed before the outcome of a commit was known");
        await pause(backOff(tries));
      }
    } finally {
      report.end();
    }
  }
}

function unknownOutcome({ whenKnown }: BatchInFlight): OutcomeUnknown {
  const landed = new Promise<boolean>((resolve) => whenKnown.push(resolve));
  return new OutcomeUnknown(
    `the database has not answered a commit for ${LIMITS.databasePatienceMillis / 1_000} s: it may have been made`,
    landed,
  );
}

/** Drops answered tasks, and refuses those that have waited too long; nothing of them is in the database. */
function refuseLate(inFlight: BatchInFlight): void {
  const latest = monotonic() - LIMITS.databasePatienceMillis;
  const isOver = ({ isAnswered, queuedAt }: Task): boolean => isAnswered || queuedAt <= latest;
  // In the order of arrival: when the first is not late, none is.
  if (inFlight.tasks.length === 0 || !isOver(inFlight.tasks[0]!)) return;
  for (const task of inFlight.tasks) if (isOver(task)) refuse(task, lateFault(inFlight.lastError));
  inFlight.tasks = inFlight.tasks.filter(({ isAnswered }) => !isAnswered);
}

function refuse(task: Task, error: unknown): void {
  if (task.isAnswered) return;
  task.isAnswered = true;
  task.reject(error);
}

function answer(task: Task, outcome: Outcome): void {
  if (task.isAnswered) return;
  task.isAnswered = true;
  if ("error" in outcome) task.reject(outcome.error);
  else task.resolve(outcome.value as never);
}

/** Grows with every try; random, so that two members do not conflict again. */
function backOff(tries: number): Millis {
  const most = Math.min(LIMITS.conflictDelayMax, LIMITS.conflictDelayMin * 2 ** Math.min(tries, 16));
  return most * (0.25 + 0.75 * systemRandom.fraction());
}
