import cluster, {} from "node:cluster";
import { systemTimers } from "./base/clock.js";
import { isTaken } from "./spread-connections.js";
import { isTurnMessage, TurnArbiter } from "./store/embedded/turn.js";
/** So many starts in a row that came to nothing have a cause that another start will not mend. */
const FAILED_STARTS_MAX = 5;
const METRICS_PATIENCE_MILLIS = 2_000;
export class Supervisor {
    #options;
    #members = new Map();
    #arbiter;
    #failedStarts = 0;
    #metrics = new Map();
    #metricsAsked = 0;
    #dead = [];
    #isStopping = false;
    #wasReady = false;
    #allGone;
    constructor(options) {
        this.#options = options;
        this.#arbiter = new TurnArbiter((id, message) => {
            const member = this.#members.get(id);
            if (member !== undefined)
                tell(member.worker, message);
        });
    }
    start() {
        const { lockDescriptor } = this.#options;
        const inherited = lockDescriptor === undefined ? [] : [lockDescriptor];
        cluster.setupPrimary({ stdio: ["inherit", "inherit", "inherit", "ipc", ...inherited] });
        for (let i = 0; i < this.#options.workers; i++)
            this.#fork();
    }
    get readyCount() {
        return [...this.#members.values()].filter(({ isReady }) => isReady).length;
    }
    tellAll(order) {
        for (const { worker } of this.#members.values())
            tell(worker, order);
    }
    /** The figures of every worker that answers in time. */
    async metrics() {
        const id = ++this.#metricsAsked;
        const answers = new Map();
        this.#metrics.set(id, answers);
        const snapshots = [...this.#members.values()].map(({ worker }) => new Promise((resolve) => {
            answers.set(worker.id, resolve);
            tell(worker, { order: "metrics", id });
        }));
        const patience = systemTimers.after(METRICS_PATIENCE_MILLIS, () => {
            for (const give of answers.values())
                give(undefined);
        });
        const found = await Promise.all(snapshots);
        patience.cancel();
        this.#metrics.delete(id);
        return found.filter((snapshot) => snapshot !== undefined);
    }
    async stop() {
        this.#isStopping = true;
        if (this.#members.size === 0)
            return;
        const gone = new Promise((resolve) => {
            this.#allGone = resolve;
        });
        for (const { worker, isReady } of this.#members.values()) {
            // One that is still starting serves nobody and may not hear us yet; ending it at once loses nothing.
            if (isReady)
                tell(worker, { order: "stop" });
            else
                worker.process.kill("SIGKILL");
        }
        await gone;
    }
    #fork() {
        const worker = cluster.fork();
        const member = { worker, owner: undefined, isReady: false };
        this.#members.set(worker.id, member);
        worker.on("message", (message) => {
            if (isTurnMessage(message))
                this.#arbiter.receive(worker.id, message);
            else if (isTaken(message))
                this.#options.connections.taken(message);
            else
                this.#receive(member, message);
        });
        worker.on("exit", (code, signal) => this.#bury(member, signal ?? `exit code ${code}`));
    }
    #receive(member, message) {
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
    #bury({ worker, owner, isReady }, reason) {
        this.#members.delete(worker.id);
        for (const answers of this.#metrics.values())
            answers.get(worker.id)?.(undefined);
        this.#arbiter.forget(worker.id);
        this.#options.connections.remove(worker.id);
        if (owner !== undefined)
            this.#dead.push(owner);
        if (this.#isStopping) {
            if (this.#members.size === 0)
                this.#allGone?.();
            return;
        }
        if (!isReady)
            this.#failedStarts++;
        this.#options.log.error({ worker: worker.process.pid, reason }, "a worker died; starting another");
        if (this.#failedStarts >= FAILED_STARTS_MAX) {
            this.#giveUp(`workers die before they are ready (last: ${reason})`);
            return;
        }
        this.#tellOfDead();
        this.#fork();
    }
    /** One survivor is enough; if it dies before it is done, the next one is told. */
    #tellOfDead() {
        if (this.#dead.length === 0)
            return;
        const survivor = [...this.#members.values()].find(({ isReady }) => isReady);
        if (survivor !== undefined) {
            tell(survivor.worker, { order: "release", owners: this.#dead });
        }
    }
    #giveUp(message) {
        if (this.#isStopping)
            return;
        this.#isStopping = true;
        for (const { worker } of this.#members.values())
            worker.process.kill("SIGKILL");
        this.#options.onGivenUp(message);
    }
}
/**
 * A worker may be dead before we know it. What was meant for it is then nobody's: its exit is what we act on, so
 * the error is not for us. We keep our copy of a connection until the worker has its own.
 */
function tell(worker, message, socket) {
    if (worker.isConnected())
        worker.process.send(message, socket, { keepOpen: true }, () => { });
}
