import cluster, { type Worker } from "node:cluster";
import type { Socket } from "node:net";
import { monotonic, systemTimers, type Timer } from "../base/clock.ts";
import { LIMITS } from "../base/limits.ts";
import { type Announcement, isAnnouncement } from "../base/messages.ts";
import type { ListenerPlaces } from "../http/common/own-listeners.ts";
import type { Log } from "../observability/log.ts";
import { Metrics, type MetricsSnapshot } from "../observability/metrics.ts";
import { isWriteLockMessage, WriteLockArbiter } from "../store/embedded/write-lock.ts";
import { Heartbeats } from "./heartbeat.ts";
import { type ConnectionSpreader, isAccepted } from "./spread-connections.ts";

/**
 * Several worker processes on one embedded store. The supervisor serves no requests: it starts the workers,
 * arbitrates the write locks, has a surviving worker release the locks of a dead one, and replaces dead
 * workers. It accepts the connections and distributes them (spread-connections.ts).
 *
 * A worker that hangs (stopped, or in an endless loop) may hold the write lock, which blocks all others. Each
 * worker sends a heartbeat; the supervisor kills a worker that is silent for too long. Its locks are released
 * at its exit, not at the signal: until the system has ended it, it might still write.
 */
export type WorkerReport =
  | { readonly report: "ready"; readonly owner: string }
  | { readonly report: "alive" }
  | { readonly report: "released"; readonly owners: readonly string[] }
  | { readonly report: "metrics"; readonly id: number; readonly snapshot: MetricsSnapshot }
  | { readonly report: "reset"; readonly failure: string | undefined }
  | { readonly report: "failed"; readonly message: string };

export type WorkerOrder =
  | { readonly order: "release"; readonly owners: readonly string[] }
  | { readonly order: "metrics"; readonly id: number }
  | { readonly order: "reload" }
  | { readonly order: "reset" }
  /** Where the server listens: a copy must recognize its own server by address. */
  | { readonly order: "listeners"; readonly places: ListenerPlaces }
  | { readonly order: "stop" };

/**
 * After this many failed starts in a row the supervisor gives up if no worker serves. If one does, it starts
 * another one at intervals.
 */
const FAILED_STARTS_MAX = 5;
const NEXT_START_MILLIS = 2_000;
const METRICS_TIMEOUT_MILLIS = 2_000;

interface Member {
  readonly worker: Worker;
  owner: string | undefined;
  isReady: boolean;
  /** It was silent for too long and was sent SIGKILL. */
  isKilled: boolean;
}

export interface SupervisorOptions {
  readonly workers: number;
  /** How long in-flight requests in the workers may take at shutdown. */
  readonly shutdownMillis: number;
  /** Of the data directory's lock. A worker inherits it, and so keeps other servers out while it lives. */
  readonly lockDescriptor: number | undefined;
  readonly log: Log;
  readonly connections: ConnectionSpreader;
  readonly places: ListenerPlaces;
  /** All workers are ready. */
  readonly onReady: () => void;
  /** No worker can be started. */
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
  #lastMetricsId = 0;
  /** Pending resets, by worker. */
  readonly #resets = new Map<number, ((failure: string | undefined) => void)[]>();
  #dead: string[] = [];
  #places: ListenerPlaces;
  #isStopping = false;
  #wasReady = false;
  #onAllGone: (() => void) | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#places = options.places;
    this.#arbiter = new WriteLockArbiter((id, message) => {
      const member = this.#members.get(id);
      if (member !== undefined) send(member.worker, message);
    });
    this.#ownMetrics.watchGauge({
      name: "holdfast_workers_ready",
      help: "Worker processes that are ready.",
      read: () => this.readyCount,
    });
    for (const reason of ["died", "hung"] as const) {
      this.#ownMetrics.watchCounter({
        name: "holdfast_worker_deaths_total",
        help: "Worker processes that died, or hung and were killed, and were replaced.",
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

  /** Ready workers whose heartbeat is not late. */
  get readyCount(): number {
    const now = monotonic();
    const isLate = (id: number): boolean => this.#heartbeats.silentFor(id, now) >= LIMITS.workerLateMillis;
    return this.#started().filter(({ worker }) => !isLate(worker.id)).length;
  }

  #started(): Member[] {
    return [...this.#members.values()].filter(({ isReady }) => isReady);
  }

  /** For present and future workers. */
  setListeners(places: ListenerPlaces): void {
    this.#places = places;
    this.sendAll({ order: "listeners", places });
  }

  sendAll(order: WorkerOrder): void {
    for (const { worker } of this.#members.values()) send(worker, order);
  }

  /** The metrics of every worker that answers in time, and those of the supervisor. */
  async metrics(): Promise<MetricsSnapshot[]> {
    const id = ++this.#lastMetricsId;
    const answers = new Map<number, (snapshot: MetricsSnapshot | undefined) => void>();
    this.#metrics.set(id, answers);
    const snapshots = [...this.#members.values()].map(
      ({ worker }) =>
        new Promise<MetricsSnapshot | undefined>((resolve) => {
          answers.set(worker.id, resolve);
          send(worker, { order: "metrics", id } satisfies WorkerOrder);
        }),
    );
    const timeout = systemTimers.after(METRICS_TIMEOUT_MILLIS, () => {
      for (const answer of answers.values()) answer(undefined);
    });
    const found = await Promise.all(snapshots);
    timeout.cancel();
    this.#metrics.delete(id);
    return [...found.filter((snapshot) => snapshot !== undefined), await this.#ownMetrics.snapshotMetrics()];
  }

  /** One worker resets the store that all of them share. */
  async reset(): Promise<void> {
    const [member] = this.#started();
    if (member === undefined) throw new Error("no worker is ready");
    const { worker } = member;
    const failure = await new Promise<string | undefined>((resolve) => {
      this.#resets.set(worker.id, [...(this.#resets.get(worker.id) ?? []), resolve]);
      send(worker, { order: "reset" } satisfies WorkerOrder);
    });
    if (failure !== undefined) throw new Error(failure);
  }

  #endResets(workerId: number, failure: string | undefined): void {
    for (const resolve of this.#resets.get(workerId) ?? []) resolve(failure);
    this.#resets.delete(workerId);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#members.size === 0) return;
    const gone = new Promise<void>((resolve) => {
      this.#onAllGone = resolve;
    });
    for (const { worker, isReady } of this.#members.values()) {
      // A worker that is still starting may not handle messages yet, and has no requests to complete.
      if (isReady) send(worker, { order: "stop" } satisfies WorkerOrder);
      else worker.process.kill("SIGKILL");
    }
    const millis = this.#options.shutdownMillis + LIMITS.shutdownLastMillis + LIMITS.workersLastMillis;
    const timeout = systemTimers.after(millis, () => this.#killAll());
    await gone;
    timeout.cancel();
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
        "a worker hangs (no heartbeat); killing it",
      );
      this.#options.connections.remove(worker.id);
      // SIGKILL also ends a suspended process.
      worker.process.kill("SIGKILL");
    }
  }

  /** A worker that still lives at this point would keep the lock of the data directory. */
  #killAll(): void {
    const workers = [...this.#members.values()].map(({ worker }) => worker.process.pid);
    this.#options.log.error({ workers }, "shutting down: killing workers that did not stop in time");
    for (const { worker } of this.#members.values()) worker.process.kill("SIGKILL");
  }

  #fork(): void {
    const worker = cluster.fork();
    const member: Member = { worker, owner: undefined, isReady: false, isKilled: false };
    this.#members.set(worker.id, member);
    this.#heartbeats.beat(worker.id, monotonic());
    worker.on("message", (message: WorkerReport) => {
      if (isWriteLockMessage(message)) this.#arbiter.receive(worker.id, message);
      else if (isAccepted(message)) this.#options.connections.confirm(message);
      else if (isAnnouncement(message)) this.#relay(member, message);
      else this.#receive(member, message);
    });
    worker.on("exit", (code, signal) => this.#handleExit(member, signal ?? `exit code ${code}`));
  }

  /** Passes a worker's message to the others. A worker that is starting checks the store itself. */
  #relay(from: Member, message: Announcement): void {
    for (const member of this.#members.values()) {
      if (member !== from && member.isReady) send(member.worker, message);
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
        // Before its first connection.
        send(member.worker, { order: "listeners", places: this.#places } satisfies WorkerOrder);
        this.#options.connections.add({
          id: member.worker.id,
          handOver: (handover, socket) => send(member.worker, handover, socket),
        });
        this.#releaseDead();
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
      case "reset":
        this.#resets.get(member.worker.id)?.shift()?.(message.failure);
        break;
      case "failed":
        this.#giveUp(message.message);
        break;
    }
  }

  #handleExit({ worker, owner, isReady, isKilled }: Member, reason: string): void {
    this.#members.delete(worker.id);
    this.#heartbeats.forget(worker.id);
    for (const answers of this.#metrics.values()) answers.get(worker.id)?.(undefined);
    this.#endResets(worker.id, "the worker that reset the store died");
    this.#arbiter.forget(worker.id);
    this.#options.connections.remove(worker.id);
    if (owner !== undefined) this.#dead.push(owner);
    if (this.#isStopping) {
      if (this.#members.size === 0) this.#onAllGone?.();
      return;
    }
    this.#deaths[isKilled ? "hung" : "died"]++;
    if (!isReady) this.#failedStarts++;
    this.#options.log.error({ worker: worker.process.pid, reason }, "a worker died; starting another");
    this.#releaseDead();
    if (isReady || this.#failedStarts < FAILED_STARTS_MAX) this.#fork();
    else if (this.#started().length === 0)
      this.#giveUp(`workers end before they are ready (last: ${reason})`);
    else this.#forkLater();
  }

  #forkLater(): void {
    systemTimers.after(NEXT_START_MILLIS, () => {
      if (!this.#isStopping) this.#fork();
    });
  }

  /** Has one survivor release the locks of dead workers; if it dies before it is done, the next one does. */
  #releaseDead(): void {
    const [survivor] = this.#started();
    if (this.#dead.length === 0 || survivor === undefined) return;
    send(survivor.worker, { order: "release", owners: this.#dead } satisfies WorkerOrder);
  }

  #giveUp(message: string): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    for (const { worker } of this.#members.values()) worker.process.kill("SIGKILL");
    this.#options.onGivenUp(message);
  }
}

/**
 * Ignores errors: the worker may have died a moment ago, and the supervisor handles its exit. `keepOpen`
 * keeps our copy of the socket until the worker confirms.
 */
function send(worker: Worker, message: object, socket?: Socket): void {
  if (worker.isConnected()) worker.process.send(message, socket, { keepOpen: true }, () => {});
}
