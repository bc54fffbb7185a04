import { type Clock } from "./clock.ts";
/**
 * The log of the process: what an operator must know, in few lines. JSON for machines, one readable line each
 * when stderr is a terminal. Fields named `url` and `headers` are redacted as such, an error goes in the field
 * `err`, and every finished line is searched once more for signatures and keys before it is written.
 */
export declare const LOG_LEVELS: readonly ["trace", "debug", "info", "warn", "error", "fatal", "silent"];
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFields = Readonly<Record<string, unknown>>;
export interface Log {
    debug(fields: LogFields, message: string): void;
    info(fields: LogFields, message: string): void;
    warn(fields: LogFields, message: string): void;
    error(fields: LogFields, message: string): void;
    /** A log whose lines all carry `fields`. */
    child(fields: LogFields): Log;
    /** Ask before building fields that cost something. */
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
export declare function openLog({ level, format, debugFile, sink, clock }: OpenLog): Log;
/** A log that keeps nothing; for tests and tools. */
export declare const silentLog: Log;
