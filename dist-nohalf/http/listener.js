import { createServer } from "node:net";
import { createServer as createSecureServer } from "node:tls";
import { systemTimers } from "../base/clock.js";
import { LIMITS } from "../base/limits.js";
import { Connection } from "./connection/connection.js";
export async function listen(options) {
    const { host, port, isHandedOver = false, handler, certificate, timers = systemTimers } = options;
    const connections = new ConnectionSet(handler);
    const take = (socket) => connections.add(socket);
    const settings = { noDelay: true, allowHalfOpen: true };
    const server = certificate === undefined
        ? createServer(settings, take)
        : createSecureServer({ ...certificate, ...settings, handshakeTimeout: LIMITS.headersTimeoutMillis }, take);
    // A handshake that fails never becomes a connection; there is nobody to tell.
    server.on("tlsClientError", () => { });
    server.maxConnections = LIMITS.connectionsMax;
    const sweep = timers.every(LIMITS.connectionSweepMillis, () => connections.sweep());
    if (!isHandedOver)
        await startListening(server, host, port);
    return {
        host,
        port: isHandedOver ? port : server.address().port,
        accept: (socket) => {
            server.emit("connection", socket);
            socket.resume();
        },
        connections: () => connections.size,
        close: async () => {
            const isUnbound = isHandedOver
                ? undefined
                : new Promise((resolve) => server.close(() => resolve()));
            await connections.close(timers);
            await isUnbound;
            sweep.cancel();
        },
    };
}
/** The connections of one listener. */
class ConnectionSet {
    #connections = new Set();
    #handler;
    #whenEmpty;
    sweeps = 0;
    isClosing = false;
    constructor(handler) {
        this.#handler = handler;
    }
    get size() {
        return this.#connections.size;
    }
    add(socket) {
        this.#connections.add(new Connection(socket, this));
    }
    handle(incoming, connection) {
        void this.#handler(incoming, connection);
    }
    closed(connection) {
        this.#connections.delete(connection);
        if (this.size === 0)
            this.#whenEmpty?.();
    }
    sweep() {
        this.sweeps++;
        for (const connection of this.#connections)
            connection.sweep(LIMITS.connectionSweepMillis);
    }
    /** Connections without a request end now, the others behind their reply, and what hangs is cut off. */
    async close(timers) {
        this.isClosing = true;
        for (const connection of this.#connections)
            connection.close();
        if (this.size === 0)
            return;
        const patience = timers.after(LIMITS.shutdownMillis, () => {
            for (const connection of this.#connections)
                connection.destroy();
        });
        await new Promise((resolve) => {
            this.#whenEmpty = resolve;
        });
        patience.cancel();
    }
}
function startListening(server, host, port) {
    return new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen({ host, port }, () => {
            server.removeListener("error", reject);
            resolve();
        });
    });
}
