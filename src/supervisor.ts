import cluster, { type Worker } from "node:cluster";
import type { Socket } from "node:net";
import { systemTimers } from "./base/clock.ts";
import { LIMITS } from "./base/limits.ts";
import type { Log } from "./base/log.ts";
import { type Announcement, isAnnouncement } from "./base/messages.ts";
import type { MetricsSnapshot } from "./base/metrics.ts";
import { type ConnectionSpreader, isTaken } from "./spread-connections.ts";
import { isTurnMessage, TurnArbiter } from "./store/embedded/turn.ts";

/**
 * Several worker processes on one embedded store. The supervisor serves nobody: it starts the workers, lends the
 * turns to write, tells survivors of the dead so that what they held is released, and starts a worker anew.
 * It accepts the connections and hands them out in turn (spread-connections.ts).
 */
export type WorkerReport =
  | { readonly report: "ready"; readonly owner: string }
  | { readonly report: "released"; readonly owners: readonly string[] }
  | { readonly report: "metrics"; readonly id: number; readonly snapshot: MetricsSnapshot }
  | { readonly report: "failed"; readonly message: string };

export type WorkerOrder =
  | { readonly order: "release"; readonly owners: readonly string[] }
  | { readonly order: "metrics"; readonly id: number }
  | { readonly order: "reload" }
  | { readonly order: "stop" };

/**
 * So many starts in a row that came to nothing have a cause that another start will not mend: without a worker that
 * serves we give up. As long as there is one, it goes on serving, and from here on we try again now and then.
 */
const FAILED_STARTS_MAX = 5;
const NEXT_START_MILLIS = 2_000;
const METRICS_PATIENCE_MILLIS = 2_000;

interface Member {
  readonly worker: Worker;
  owner: string | undefined;
  isReady: boolean;
}

export interface SupervisorOptions {
  readonly workers: number;
  /** How long requests in the workers may take to finish when they are stopped. */
  readonly shutdownMillis: number;
  /** Of the data directory's lock. A worker that inherits it keeps others out as long as it lives. */
  readonly lockDescriptor: number | undefined;
  readonly log: Log;
  readonly connections: ConnectionSpreader;
  /** All workers serve. */
  readonly onReady: () => void;
  /** No way to go on. */
  readonly onGivenUp: (message: string) => void;
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #members = new Map<number, Member>();
  readonly #arbiter: TurnArbiter;
  #failedStarts = 0;
  readonly #metrics = new Map<number, Map<number, (snapshot: MetricsSnapshot | undefined) => void>>();
  #metricsAsked = 0;
  #dead: string[] = [];
  #isStopping = false;
  #wasReady = false;
  #allGone: (() => void) | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#arbiter = new TurnArbiter((id, message) => {
      const member = this.#members.get(id);
      if (member !== undefined) tell(member.worker, message);
    });
  }

  start(): void {
    const { lockDescriptor } = this.#options;
    const inherited = lockDescriptor === undefined ? [] : [lockDescriptor];
    cluster.setupPrimary({ stdio: ["inherit", "inherit", "inherit", "ipc", ...inherited] });
    for (let i = 0; i < this.#options.workers; i++) this.#fork();
  }

  get readyCount(): number {
    return [...this.#members.values()].filter(({ isReady }) => isReady).length;
  }

  tellAll(order: WorkerOrder): void {
    for (const { worker } of this.#members.values()) tell(worker, order);
  }

  /** The figures of every worker that answers in time. */
  async metrics(): Promise<MetricsSnapshot[]> {
    const id = ++this.#metricsAsked;
    const answers = new Map<number, (snapshot: MetricsSnapshot | undefined) => void>();
    this.#metrics.set(id, answers);
    const snapshots = [...this.#members.values()].map(
      ({ worker }) =>
        new Promise<MetricsSnapshot | undefined>((resolve) => {
          answers.set(worker.id, resolve);
          tell(worker, { order: "metrics", id } satisfies WorkerOrder);
        }),
    );
    const patience = systemTimers.after(METRICS_PATIENCE_MILLIS, () => {
      for (const give of answers.values()) give(undefined);
    });
    const found = await Promise.all(snapshots);
    patience.cancel();
    this.#metrics.delete(id);
    return found.filter((snapshot) => snapshot !== undefined);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#members.size === 0) return;
    const gone = new Promise<void>((resolve) => {
      this.#allGone = resolve;
    });
    for (const { worker, isReady } of this.#members.values()) {
      // One that is still starting serves nobody and may not hear us yet; ending it at once loses nothing.
      if (isReady) tell(worker, { order: "stop" } satisfies WorkerOrder);
      else worker.process.kill("SIGKILL");
    }
    const millis = this.#options.shutdownMillis + LIMITS.shutdownLastMillis + LIMITS.workersLastMillis;
    const patience = systemTimers.after(millis, () => this.#killAll());
    await gone;
    patience.cancel();
  }

  /** A worker ends by itself in time unless it cannot run at all; left alive, it would keep the data directory. */
  #killAll(): void {
    const workers = [...this.#members.values()].map(({ worker }) => worker.process.pid);
    this.#options.log.error({ workers }, "shutting down: workers that did not stop in time are killed");
    for (const { worker } of this.#members.values()) worker.process.kill("SIGKILL");
  }

  #fork(): void {
    const worker = cluster.fork();
    const member: Member = { worker, owner: undefined, isReady: false };
    this.#members.set(worker.id, member);
    worker.on("message", (message: WorkerReport) => {
      if (isTurnMessage(message)) this.#arbiter.receive(worker.id, message);
      else if (isTaken(message)) this.#options.connections.taken(message);
      else if (isAnnouncement(message)) this.#relay(member, message);
      else this.#receive(member, message);
    });
    worker.on("exit", (code, signal) => this.#bury(member, signal ?? `exit code ${code}`));
  }

  /** What one worker announces is for the others; one that is starting will look for itself. */
  #relay(from: Member, message: Announcement): void {
    for (const member of this.#members.values()) {
      if (member !== from && member.isReady) tell(member.worker, message);
    }
  }

  #receive(member: Member, message: WorkerReport): void {
    switch (message.report) {
      case "ready":
        member.owner = message.owner;
        member.isReady = true;
        this.#failedStarts = 0;
        this.#options.connections.add({
          id: member.worker.id,
          hand: (handover, socket) => tell(member.worker, handover, socket),
        });
        this.#tellOfDead();
        if (!this.#wasReady && this.readyCount === this.#options.workers) {
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

  #bury({ worker, owner, isReady }: Member, reason: string): void {
    this.#members.delete(worker.id);
    for (const answers of this.#metrics.values()) answers.get(worker.id)?.(undefined);
    this.#arbiter.forget(worker.id);
    this.#options.connections.remove(worker.id);
    if (owner !== undefined) this.#dead.push(owner);
    if (this.#isStopping) {
      if (this.#members.size === 0) this.#allGone?.();
      return;
    }
    if (!isReady) this.#failedStarts++;
    this.#options.log.error({ worker: worker.process.pid, reason }, "a worker died; starting another");
    this.#tellOfDead();
    if (isReady || this.#failedStarts < FAILED_STARTS_MAX) this.#fork();
    else if (this.readyCount === 0) this.#giveUp(`workers die before they are ready (last: ${reason})`);
    else this.#forkLater();
  }

  #forkLater(): void {
    systemTimers.after(NEXT_START_MILLIS, () => {
      if (!this.#isStopping) this.#fork();
    });
  }

  /** One survivor is enough; if it dies before it is done, the next one is told. */
  #tellOfDead(): void {
    if (this.#dead.length === 0) return;
    const survivor = [...this.#members.values()].find(({ isReady }) => isReady);
    if (survivor !== undefined) {
      tell(survivor.worker, { order: "release", owners: this.#dead } satisfies WorkerOrder);
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
 * A worker may be dead before we know it. What was meant for it is then nobody's: its exit is what we act on, so
 * the error is not for us. We keep our copy of a connection until the worker has its own.
 */
function tell(worker: Worker, message: object, socket?: Socket): void {
  if (worker.isConnected()) worker.process.send(message, socket, { keepOpen: true }, () => {});
}
