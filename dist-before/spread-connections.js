import { createServer } from "node:net";
import { systemTimers } from "./base/clock.js";
import { LIMITS } from "./base/limits.js";
export function isHandover(message) {
    return typeof message === "object" && message !== null && "connection" in message;
}
export function isTaken(message) {
    return typeof message === "object" && message !== null && "taken" in message;
}
export class ConnectionSpreader {
    #servers = [];
    #takers = [];
    #waiting = new Map();
    #next = 0;
    #lastId = 0;
    /** Listens; connections wait until there is somebody to take them. Resolves with the port. */
    async listen(service, address) {
        const server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
            const id = ++this.#lastId;
            const patience = systemTimers.after(LIMITS.handoverMillis, () => this.#drop(id));
            this.#waiting.set(id, { service, socket, holder: undefined, patience });
            socket.on("error", () => this.#drop(id));
            this.#hand(id);
        });
        await new Promise((resolve, reject) => {
            server.once("error", reject);
            server.listen({ ...address, exclusive: true }, () => {
                server.removeListener("error", reject);
                resolve();
            });
        });
        this.#servers.push(server);
        return server.address().port;
    }
    /** A worker that is ready to serve. */
    add(taker) {
        this.#takers.push(taker);
        for (const [id, { holder }] of this.#waiting)
            if (holder === undefined)
                this.#hand(id);
    }
    /** The worker has it: our copy of the connection goes. */
    taken({ taken }) {
        this.#drop(taken);
    }
    /** The worker is gone, and with it what it had not taken yet. */
    remove(takerId) {
        const index = this.#takers.findIndex(({ id }) => id === takerId);
        if (index >= 0)
            this.#takers.splice(index, 1);
        for (const [id, waiting] of this.#waiting) {
            if (waiting.holder === takerId)
                this.#drop(id);
        }
    }
    /** Stops listening and drops what nobody took. */
    async close() {
        for (const id of this.#waiting.keys())
            this.#drop(id);
        await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
    }
    /** Closes our copy; where a worker has its own, the connection goes on. */
    #drop(id) {
        const waiting = this.#waiting.get(id);
        this.#waiting.delete(id);
        waiting?.patience.cancel();
        waiting?.socket.destroy();
    }
    #hand(id) {
        const taker = this.#takers[this.#next++ % Math.max(1, this.#takers.length)];
        const waiting = this.#waiting.get(id);
        if (taker === undefined || waiting === undefined)
            return;
        waiting.holder = taker.id;
        taker.hand({ connection: waiting.service, id }, waiting.socket);
    }
}
