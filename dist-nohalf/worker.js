import { Socket } from "node:net";
import { systemRandom } from "./base/random.js";
import { Runtime } from "./runtime.js";
import { startServer } from "./server.js";
import { isHandover } from "./spread-connections.js";
import { EmbeddedStore } from "./store/embedded/embedded-store.js";
import { inTurn, isTurnMessage, TurnClient } from "./store/embedded/turn.js";
/** A process that serves under a supervisor: it borrows the turn to write and obeys orders. */
export async function runWorker(options, log, onFatal) {
    const tell = (report) => {
        process.send?.(report);
    };
    // Without its supervisor a worker has nobody who lends turns: it must not go on by itself.
    process.on("disconnect", () => process.exit(1));
    const send = (message) => {
        process.send?.(message);
    };
    const turns = { records: new TurnClient("records", send), ephemeral: new TurnClient("ephemeral", send) };
    const owner = `worker-${process.pid}-${systemRandom.uuid()}`;
    let runtime;
    let server;
    try {
        process.on("message", (message) => {
            if (!isTurnMessage(message))
                return;
            turns.records.receive(message);
            turns.ephemeral.receive(message);
        });
        const open = () => new Runtime({ choice: options.store, owner, log, turns, onFatal });
        runtime = await inTurn([turns.records, turns.ephemeral], open);
        await runtime.start();
        server = await startServer({ options, runtime, log, isHandedOver: true });
    }
    catch (error) {
        tell({ report: "failed", message: error.message });
        return;
    }
    process.on("message", (message, socket) => {
        if (isHandover(message)) {
            // Told before it is read: from here on the connection lives and dies with this process.
            process.send?.({ taken: message.id });
            // The client may have gone while it was handed over.
            if (socket instanceof Socket)
                server.accept(message.connection, socket);
        }
        else if ("order" in message)
            void obey(message, { runtime, server, tell }).catch(onFatal);
    });
    tell({ report: "ready", owner });
}
async function obey(order, { runtime, server, tell }) {
    switch (order.order) {
        case "release":
            if (runtime.engine instanceof EmbeddedStore)
                runtime.engine.forgetDeadReaders();
            await runtime.releaseDead(order.owners);
            tell({ report: "released", owners: order.owners });
            break;
        case "metrics":
            tell({ report: "metrics", id: order.id, snapshot: await server.metrics.snapshotMetrics() });
            break;
        case "reload":
            server.reload();
            break;
        case "stop":
            await server.close();
            await runtime.close();
            process.exit(0);
    }
}
