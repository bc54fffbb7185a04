#!/usr/bin/env node
import cluster from "node:cluster";
import { readFileSync } from "node:fs";
import { ConfigError } from "./base/config-error.js";
import { UnusableDirectory } from "./base/faults.js";
import { openLog } from "./base/log.js";
import { readCommandLine } from "./options.js";
import { printReadyJson, printReadyText } from "./ready-message.js";
import { run } from "./run.js";
import { runWorker } from "./worker.js";
/** Starts the process: reads options, opens one engine, starts the front ends. */
const version = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
const EXIT_CONFIG = 2;
const EXIT_FAILED = 1;
function die(message, code) {
    process.stderr.write(`holdfast: ${message}\n`);
    process.exit(code);
}
function readOptions() {
    try {
        return readCommandLine({ argv: process.argv.slice(2), env: process.env, cwd: process.cwd(), version });
    }
    catch (error) {
        if (error instanceof ConfigError)
            die(error.message, EXIT_CONFIG);
        throw error;
    }
}
function openLogOf({ logLevel, debugFile }) {
    try {
        return openLog({ level: logLevel, debugFile });
    }
    catch (error) {
        if (error instanceof ConfigError)
            die(error.message, EXIT_CONFIG);
        throw error;
    }
}
/** After a failed sync nobody may be answered: what is on disk is decided by the next start. */
function stopAtOnce(log) {
    return (error) => {
        log.error({ err: error }, "the disk failed to keep a write; stopping so that nothing false is acknowledged");
        process.exit(EXIT_FAILED);
    };
}
async function serve(options, log) {
    let running;
    try {
        running = await run({ options, log, onFatal: stopAtOnce(log) });
    }
    catch (error) {
        if (error instanceof ConfigError)
            die(error.message, EXIT_CONFIG);
        if (error instanceof UnusableDirectory)
            die(error.message, EXIT_FAILED);
        if (error.code === "EADDRINUSE") {
            const { address, port } = error;
            die(`${address}:${port} is in use; choose another port or stop what listens there`, EXIT_FAILED);
        }
        throw error;
    }
    announce(options, running);
    let isStopping = false;
    const stop = (signal) => {
        if (isStopping)
            process.exit(EXIT_FAILED);
        isStopping = true;
        log.info({ signal }, "stopping: finishing what was accepted (send the signal again to stop at once)");
        running.close().then(() => process.exit(0), (error) => die(`stopping failed: ${error.message}`, EXIT_FAILED));
    };
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
    process.on("SIGHUP", () => running.reload());
}
function announce(options, { ports }) {
    const { addresses } = options;
    const at = (name) => ({
        host: addresses[name].host,
        port: ports[name],
    });
    const facts = {
        version,
        pid: process.pid,
        workers: options.workers,
        dataDirectory: options.store.kind === "memory" ? undefined : options.store.directory,
        isSecure: options.certificate !== undefined,
        addresses: {
            blob: at("blob"),
            queue: at("queue"),
            table: at("table"),
            file: at("file"),
            admin: at("admin"),
        },
        accounts: options.accounts,
        warnings: options.warnings,
    };
    if (options.ready === "json")
        process.stdout.write(printReadyJson(facts));
    else if (!options.isSilent)
        process.stdout.write(printReadyText(facts));
}
const commandLine = readOptions();
if (commandLine.kind === "print") {
    process.stdout.write(commandLine.text);
}
else {
    const { options } = commandLine;
    const log = openLogOf(options);
    process.on("uncaughtException", (error) => {
        log.error({ err: error }, "a bug stopped the process; durable state is whole");
        process.exit(EXIT_FAILED);
    });
    if (cluster.isWorker) {
        // The supervisor hears the terminal; a worker waits for its order.
        process.on("SIGINT", () => { });
        process.on("SIGTERM", () => { });
        await runWorker(options, log, stopAtOnce(log));
    }
    else {
        await serve(options, log);
    }
}
