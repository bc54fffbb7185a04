import cluster, { type Worker } from "node:cluster";
import type { Socket } from "node:net";
import { monotonic, systemTimers, type Timer } from "../base/clock.ts";
import { LIMITS } from "../base/limits.ts";
import { type Announcement, isAnnouncement } from "../base/messages.ts";
import type { ListenerPlaces } from "../http/common/own-listeners.ts";
import type { Log } from "../observability/log.ts";
import { Metrics, type MetricsSnapshot } from "../observability/metrics.ts";
import { isWriteLockMessage, WriteLockArbiter } from "../store/embedded/turn.ts";
import { Heartbeats } from "./heartbeat.ts";
import { type ConnectionSpreader, isTaken } from "./spread-connections.ts";

/**
 * Several worker processes on one embedded store. The supervisor serves nobody: it starts the workers, lends
 * the turns to write, tells survivors of the dead so that what they held is released, and starts a worker
 * anew. It accepts the connections and hands them out in turn (spread-connections.ts).
 *
 * A worker that hangs (stopped, or stuck in an endless loop) may hold the right to write, and then nobody
 * writes. Each worker sends a heartbeat; the supervisor kills one that is silent for too long. Only its exit,
 * not the signal, frees what it held: until the system has ended it, it might still write.
 */
export type WorkerReport =
  | { readonly report: "ready"; readonly owner: string }
  | { readonly report: "alive" }
  | { readonly report: "released"; readonly owners: readonly string[] }
  | { readonly report: "metrics"; readonly id: number; readonly snapshot: MetricsSnapshot }
  | { readonly report: "failed"; readonly message: string };

export type WorkerOrder =
  | { readonly order: "release"; readonly owners: readonly string[] }
  | { readonly order: "metrics"; readonly id: number }
  | { readonly order: "reload" }
  /** Where the server listens: copies must know their own server by its addresses. */
  | { readonly order: "listeners"; readonly places: ListenerPlaces }
  | { readonly order: "stop" };

/**
 * So many starts in a row that came to nothing have a cause that another start will not mend: without a
 * worker that serves we give up. As long as there is one, it goes on serving, and from here on we try again
 * now and then.
 */
const FAILED_STARTS_MAX = 5;
const NEXT_START_MILLIS = 2_000;
const METRICS_PATIENCE_MILLIS = 2_000;

interface Member {
  readonly worker: Worker;
  owner: string | undefined;
  isReady: boolean;
  /** It was silent for too long and has been sent SIGKILL. */
  isKilled: boolean;
}

export interface SupervisorOptions {
  readonly workers: number;
  /** How long requests in the workers may take to finish when they are stopped. */
  readonly shutdownMillis: number;
  /** Of the data directory's lock. A worker that inherits it keeps others out as long as it lives. */
  readonly lockDescriptor: number | undefined;
  readonly log: Log;
  readonly connections: ConnectionSpreader;
  readonly places: ListenerPlaces;
  /** All workers serve. */
  readonly onReady: () => void;
  /** No way to go on. */
  readonly onGivenUp: (message: string) => void;
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #members = new Map<number, Member>();
  readonly #arbiter: WriteLockArbiter;
  readonly #heartbeats = new Heartbeats(monotonic());
  readonly #ownMetrics = new Metrics({ withProcess: false });
  readonly #deaths = { died: 0, hung: 0 };
  #watch: Timer | undefined;
  #failedStarts = 0;
  readonly #metrics = new Map<number, Map<number, (snapshot: MetricsSnapshot | undefined) => void>>();
  #metricsAsked = 0;
  #dead: string[] = [];
  #places: ListenerPlaces;
  #isStopping = false;
  #wasReady = false;
  #allGone: (() => void) | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#places = options.places;
    this.#arbiter = new WriteLockArbiter((id, message) => {
      const member = this.#members.get(id);
      if (member !== undefined) report(member.worker, message);
    });
    this.#ownMetrics.watchGauge({
      name: "holdfast_workers_ready",
      help: "Worker processes that serve and answer now.",
      read: () => this.readyCount,
    });
    for (const reason of ["died", "hung"] as const) {
      this.#ownMetrics.watchCounter({
        name: "holdfast_worker_deaths_total",
        help: "Worker processes that ended and were replaced: they died, or they hung and were killed.",
        labels: { reason },
        read: () => this.#deaths[reason],
      });
    }
  }

  start(): void {
    const { lockDescriptor } = this.#options;
    const inherited = lockDescriptor === undefined ? [] : [lockDescriptor];
    cluster.setupPrimary({ stdio: ["inherit", "inherit", "inherit", "ipc", ...inherited] });
    for (let i = 0; i < this.#options.workers; i++) this.#fork();
    this.#watch = systemTimers.every(LIMITS.workerBeatMillis, () => this.#killSilent());
  }

  /** Workers that serve and answer: one whose heartbeat is late is not among them. */
  get readyCount(): number {
    const now = monotonic();
    const isLate = (id: number): boolean => this.#heartbeats.silentFor(id, now) >= LIMITS.workerLateMillis;
    return this.#started().filter(({ worker }) => !isLate(worker.id)).length;
  }

  #started(): Member[] {
    return [...this.#members.values()].filter(({ isReady }) => isReady);
  }

  /** For the workers that are there and those to come. */
  learnListeners(places: ListenerPlaces): void {
    this.#places = places;
    this.sendAll({ order: "listeners", places });
  }

  sendAll(order: WorkerOrder): void {
    for (const { worker } of this.#members.values()) report(worker, order);
  }

  /** The figures of every worker that answers in time, and those of the supervisor. */
  async metrics(): Promise<MetricsSnapshot[]> {
    const id = ++this.#metricsAsked;
    const answers = new Map<number, (snapshot: MetricsSnapshot | undefined) => void>();
    this.#metrics.set(id, answers);
    const snapshots = [...this.#members.values()].map(
      ({ worker }) =>
        new Promise<MetricsSnapshot | undefined>((resolve) => {
          answers.set(worker.id, resolve);
          report(worker, { order: "metrics", id } satisfies WorkerOrder);
        }),
    );
    const patience = systemTimers.after(METRICS_PATIENCE_MILLIS, () => {
      for (const give of answers.values()) give(undefined);
    });
    const found = await Promise.all(snapshots);
    patience.cancel();
    this.#metrics.delete(id);
    return [...found.filter((snapshot) => snapshot !== undefined), await this.#ownMetrics.snapshotMetrics()];
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#members.size === 0) return;
    const gone = new Promise<void>((resolve) => {
      this.#allGone = resolve;
    });
    for (const { worker, isReady } of this.#members.values()) {
      // One that is still starting serves nobody and may not hear us yet; ending it at once loses nothing.
      if (isReady) report(worker, { order: "stop" } satisfies WorkerOrder);
      else worker.process.kill("SIGKILL");
    }
    const millis = this.#options.shutdownMillis + LIMITS.shutdownLastMillis + LIMITS.workersLastMillis;
    const patience = systemTimers.after(millis, () => this.#killAll());
    await gone;
    patience.cancel();
    this.#watch?.cancel();
  }

  #killSilent(): void {
    const now = monotonic();
    this.#heartbeats.check(now);
    for (const member of this.#members.values()) {
      if (member.isKilled) continue;
      const { worker, isReady } = member;
      const silentMillis = Math.round(this.#heartbeats.silentFor(worker.id, now));
      if (silentMillis < (isReady ? LIMITS.workerSilenceMillis : LIMITS.workerStartMillis)) continue;
      member.isKilled = true;
      this.#options.log.error(
        { worker: worker.process.pid, silentMillis },
        "a worker hangs: it has sent no heartbeat; killing it",
      );
      this.#options.connections.remove(worker.id);
      // SIGKILL also ends a process that was stopped.
      worker.process.kill("SIGKILL");
    }
  }

  /**
   * A worker ends by itself in time unless it cannot run at all; left alive, it would keep the data
   * directory.
   */
  #killAll(): void {
    const workers = [...this.#members.values()].map(({ worker }) => worker.process.pid);
    this.#options.log.error({ workers }, "shutting down: workers that did not stop in time are killed");
    for (const { worker } of this.#members.values()) worker.process.kill("SIGKILL");
  }

  #fork(): void {
    const worker = cluster.fork();
    const member: Member = { worker, owner: undefined, isReady: false, isKilled: false };
    this.#members.set(worker.id, member);
    this.#heartbeats.beat(worker.id, monotonic());
    worker.on("message", (message: WorkerReport) => {
      if (isWriteLockMessage(message)) this.#arbiter.receive(worker.id, message);
      else if (isTaken(message)) this.#options.connections.taken(message);
      else if (isAnnouncement(message)) this.#relay(member, message);
      else this.#receive(member, message);
    });
    worker.on("exit", (code, signal) => this.#bury(member, signal ?? `exit code ${code}`));
  }

  /** What one worker announces is for the others; one that is starting will look for itself. */
  #relay(from: Member, message: Announcement): void {
    for (const member of this.#members.values()) {
      if (member !== from && member.isReady) report(member.worker, message);
    }
  }

  #receive(member: Member, message: WorkerReport): void {
    switch (message.report) {
      case "alive":
        this.#heartbeats.beat(member.worker.id, monotonic());
        break;
      case "ready":
        this.#heartbeats.beat(member.worker.id, monotonic());
        member.owner = message.owner;
        member.isReady = true;
        this.#failedStarts = 0;
        // Ahead of its first connection.
        report(member.worker, { order: "listeners", places: this.#places } satisfies WorkerOrder);
        this.#options.connections.add({
          id: member.worker.id,
          hand: (handover, socket) => report(member.worker, handover, socket),
        });
        this.#announceDeath();
        if (!this.#wasReady && this.#started().length === this.#options.workers) {
          this.#wasReady = true;
          this.#options.onReady();
        }
        break;
      case "released":
        this.#dead = this.#dead.filter((owner) => !message.owners.includes(owner));
        break;
      case "metrics":
        this.#metrics.get(message.id)?.get(member.worker.id)?.(message.snapshot);
        break;
      case "failed":
        this.#giveUp(message.message);
        break;
    }
  }

  #bury({ worker, owner, isReady, isKilled }: Member, reason: string): void {
    this.#members.delete(worker.id);
    this.#heartbeats.forget(worker.id);
    for (const answers of this.#metrics.values()) answers.get(worker.id)?.(undefined);
    this.#arbiter.forget(worker.id);
    this.#options.connections.remove(worker.id);
    if (owner !== undefined) this.#dead.push(owner);
    if (this.#isStopping) {
      if (this.#members.size === 0) this.#allGone?.();
      return;
    }
    this.#deaths[isKilled ? "hung" : "died"]++;
    if (!isReady) this.#failedStarts++;
    this.#options.log.error({ worker: worker.process.pid, reason }, "a worker died; starting another");
    this.#announceDeath();
    if (isReady || this.#failedStarts < FAILED_STARTS_MAX) this.#fork();
    else if (this.#started().length === 0)
      this.#giveUp(`workers die before they are ready (last: ${reason})`);
    else this.#forkLater();
  }

  #forkLater(): void {
    systemTimers.after(NEXT_START_MILLIS, () => {
      if (!this.#isStopping) this.#fork();
    });
  }

  /** One survivor is enough; if it dies before it is done, the next one is told. */
  #announceDeath(): void {
    if (this.#dead.length === 0) return;
    const survivor = [...this.#members.values()].find(({ isReady }) => isReady);
    if (survivor !== undefined) {
      report(survivor.worker, { order: "release", owners: this.#dead } satisfies WorkerOrder);
    }
  }

  #giveUp(message: string): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    for (const { worker } of this.#members.values()) worker.process.kill("SIGKILL");
    this.#options.onGivenUp(message);
  }
}

/**
 * A worker may be dead before we know it. What was meant for it is then nobody's: its exit is what we act on,
 * so the error is not for us. We keep our copy of a connection until the worker has its own.
 */
function report(worker: Worker, message: object, socket?: Socket): void {
  if (worker.isConnected()) worker.process.send(message, socket, { keepOpen: true }, () => {});
}
