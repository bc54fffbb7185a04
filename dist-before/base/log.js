import { destination, multistream, pino, stdSerializers } from "pino";
import { systemClock } from "./clock.js";
import { ConfigError } from "./config-error.js";
import { safeHeaders, safeText, safeUrl } from "./redact.js";
/**
 * The log of the process: what an operator must know, in few lines. JSON for machines, one readable line each
 * when stderr is a terminal. Fields named `url` and `headers` are redacted as such, an error goes in the field
 * `err`, and every finished line is searched once more for signatures and keys before it is written.
 */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];
export function openLog({ level, format = "auto", debugFile, sink, clock = systemClock }) {
    // Written synchronously: the line that explains why the process stops must be out before it stops.
    const target = sink ?? destination({ fd: 2, sync: true });
    const isText = format === "text" || (format === "auto" && sink === undefined && process.stderr.isTTY === true);
    const console = isText ? { write: (line) => target.write(printLine(line)) } : target;
    const options = {
        level: debugFile === undefined || level === "trace" ? level : "debug",
        base: { pid: process.pid },
        timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
        formatters: { level: (label) => ({ level: label }) },
        serializers: { url: safeUrl, headers: safeHeaders, err: stdSerializers.errWithCause },
        hooks: { streamWrite: safeText },
    };
    if (debugFile === undefined)
        return wrap(pino(options, console));
    const file = openDebugFile(debugFile);
    const copies = [{ level: "debug", stream: file }];
    const own = level === "silent" ? [] : [{ level, stream: console }];
    return wrap(pino(options, multistream([...own, ...copies])));
}
function openDebugFile(path) {
    try {
        return destination({ dest: path, sync: true, mkdir: true });
    }
    catch (error) {
        throw new ConfigError("--debug", `${path} cannot be opened: ${error.message}`);
    }
}
/** A log that keeps nothing; for tests and tools. */
export const silentLog = {
    debug: () => { },
    info: () => { },
    warn: () => { },
    error: () => { },
    child: () => silentLog,
    isEnabled: () => false,
};
function wrap(logger) {
    return {
        debug: (fields, message) => logger.debug(fields, message),
        info: (fields, message) => logger.info(fields, message),
        warn: (fields, message) => logger.warn(fields, message),
        error: (fields, message) => logger.error(fields, message),
        child: (fields) => wrap(logger.child(fields)),
        isEnabled: (level) => logger.isLevelEnabled(level),
    };
}
/** `12:34:56.789 warn  message  name=value`, with the stack of an error on the lines below. */
function printLine(line) {
    const { level, time, pid: _, msg, err, ...fields } = JSON.parse(line);
    const shown = Object.entries(fields).map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
    const head = `${String(time).slice(11, 23)} ${String(level).padEnd(5)} ${String(msg)}`;
    const stack = err?.stack;
    return `${[head, ...shown].join("  ")}${stack === undefined ? "" : `\n${stack}`}\n`;
}
