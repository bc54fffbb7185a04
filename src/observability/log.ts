import { dirname } from "node:path";
import { destination, type Logger, multistream, pino, stdSerializers } from "pino";
import { type Clock, systemClock } from "../base/clock.ts";
import { ConfigError } from "../base/config-error.ts";
import { OWNER_FILE_MODE } from "../base/file-modes.ts";
import { makeDirectory } from "../base/make-directory.ts";
import { safeHeaders, safeText, safeUrl } from "./redact.ts";

/**
 * The log of the process, for the operator: JSON, or readable lines when stderr is a terminal. The log
 * redacts the fields `url` and `headers`, shows the error of the field `err`, and masks signatures and keys
 * in every finished line.
 */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** A log that adds `fields` to each line. */
  child(fields: LogFields): Log;
  /** Check it before building expensive fields. */
  isEnabled(level: LogLevel): boolean;
}

export interface LineSink {
  write(line: string): void;
}

export interface OpenLog {
  readonly level: LogLevel;
  /** "auto": text on a terminal, JSON elsewhere. */
  readonly format?: "auto" | "json" | "text";
  /** A second copy from level debug on, appended to this file. */
  readonly debugFile?: string | undefined;
  /** Instead of stderr; for tests. */
  readonly sink?: LineSink;
  readonly clock?: Clock;
}

export function openLog({ level, format = "auto", debugFile, sink, clock = systemClock }: OpenLog): Log {
  // Synchronous: the line that explains why the process stops must be written before it stops.
  const target = sink ?? destination({ fd: 2, sync: true });
  const isText =
    format === "text" || (format === "auto" && sink === undefined && process.stderr.isTTY === true);
  const console: LineSink = isText ? { write: (line) => target.write(printLine(line)) } : target;
  const options = {
    level: debugFile === undefined || level === "trace" ? level : "debug",
    base: { pid: process.pid },
    timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { url: safeUrl, headers: safeHeaders, err: stdSerializers.errWithCause },
    hooks: { streamWrite: safeText },
  };
  if (debugFile === undefined) return wrap(pino(options, console));
  const file = openDebugFile(debugFile);
  const copies = [{ level: "debug" as const, stream: file }];
  const own = level === "silent" ? [] : [{ level, stream: console }];
  return wrap(pino(options, multistream([...own, ...copies])));
}

function openDebugFile(path: string): ReturnType<typeof destination> {
  try {
    makeDirectory(dirname(path));
    return destination({ dest: path, sync: true, mode: OWNER_FILE_MODE });
  } catch (error) {
    throw new ConfigError("--debug", `cannot open ${path}: ${(error as Error).message}`);
  }
}

/** Discards all lines. */
export const silentLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLog,
  isEnabled: () => false,
};

function wrap(logger: Logger): Log {
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
function printLine(line: string): string {
  const { level, time, pid: _, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const shown = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const head = `${String(time).slice(11, 23)} ${String(level).padEnd(5)} ${String(msg)}`;
  const stack = (err as { stack?: string } | undefined)?.stack;
  return `${[head, ...shown].join("  ")}${stack === undefined ? "" : `\n${stack}`}\n`;
}
