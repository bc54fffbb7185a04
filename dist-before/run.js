import { mergeMetrics } from "./base/metrics.js";
import { systemRandom } from "./base/random.js";
import { openDataDirectory } from "./data-directory.js";
import { createAdminHandler } from "./http/admin.js";
import { listen } from "./http/listener.js";
import { forgetEphemeral } from "./open-store.js";
import { Runtime } from "./runtime.js";
import { SERVICE_PORTS, startServer } from "./server.js";
import { ConnectionSpreader } from "./spread-connections.js";
import { Supervisor } from "./supervisor.js";
export async function run({ options, log, onFatal }) {
    const directory = await lockDirectory(options);
    try {
        forgetEphemeral(options.store);
        const serving = await (options.workers > 1
            ? serveFromWorkers(options, log, onFatal, directory?.lockDescriptor)
            : serveHere(options, log, onFatal));
        return await withAdmin(options, log, serving, directory);
    }
    catch (error) {
        await directory?.release();
        throw error;
    }
}
async function lockDirectory({ store }) {
    return store.kind === "memory" ? undefined : openDataDirectory(store.directory);
}
async function serveHere(options, log, onFatal) {
    const owner = `process-${process.pid}-${systemRandom.uuid()}`;
    const runtime = new Runtime({ choice: options.store, owner, log, onFatal });
    try {
        await runtime.recoverAll();
        await runtime.start();
        const server = await startServer({ options, runtime, log });
        return {
            ports: server.ports,
            readyParts: () => ({
                store: { isUp: true, state: "open" },
                listeners: { isUp: true, state: "listening" },
            }),
            metrics: async () => mergeMetrics([await server.metrics.snapshotMetrics()]),
            reload: () => server.reload(),
            close: async () => {
                await server.close();
                await runtime.close();
            },
        };
    }
    catch (error) {
        await runtime.close();
        throw error;
    }
}
/** Before any worker runs, so that none meets what a crash left half done. */
async function recoverFirst(options, log, onFatal) {
    const runtime = new Runtime({ choice: options.store, owner: `supervisor-${process.pid}`, log, onFatal });
    try {
        await runtime.recoverAll();
    }
    finally {
        await runtime.close();
    }
}
async function serveFromWorkers(options, log, onFatal, lockDescriptor) {
    await recoverFirst(options, log, onFatal);
    const connections = new ConnectionSpreader();
    const ports = {};
    try {
        for (const service of SERVICE_PORTS) {
            ports[service] = await connections.listen(service, options.addresses[service]);
        }
    }
    catch (error) {
        await connections.close();
        throw error;
    }
    const supervisor = await startWorkers(options, log, onFatal, { lockDescriptor, connections });
    return {
        ports: ports,
        readyParts: () => ({
            workers: {
                isUp: supervisor.readyCount > 0,
                state: `${supervisor.readyCount} of ${options.workers} ready`,
            },
        }),
        metrics: async () => mergeMetrics(await supervisor.metrics()),
        reload: () => supervisor.tellAll({ order: "reload" }),
        close: async () => {
            await connections.close();
            await supervisor.stop();
        },
    };
}
function startWorkers(options, log, onFatal, shared) {
    return new Promise((resolve, reject) => {
        let isUp = false;
        const supervisor = new Supervisor({
            ...shared,
            workers: options.workers,
            log,
            onReady: () => {
                isUp = true;
                resolve(supervisor);
            },
            onGivenUp: (message) => (isUp ? onFatal(new Error(message)) : reject(new Error(message))),
        });
        supervisor.start();
    });
}
async function withAdmin(options, log, serving, directory) {
    let isStopping = false;
    const handler = createAdminHandler({
        readiness: () => ({ isStopping, parts: serving.readyParts() }),
        metrics: serving.metrics,
        log,
    });
    let admin;
    try {
        admin = await listen({ ...options.addresses.admin, handler });
    }
    catch (error) {
        await serving.close();
        throw error;
    }
    return {
        ports: { ...serving.ports, admin: admin.port },
        reload: () => serving.reload(),
        close: async () => {
            isStopping = true;
            await serving.close();
            await admin.close();
            await directory?.release();
        },
    };
}
