import type { Instant } from "../../base/clock.ts";
/** FILETIME: ticks of 100 ns since 1601-01-01 UTC. */
export type FileTime = bigint;
export declare function fileTimeAt(instant: Instant): FileTime;
export declare function instantAt(time: FileTime): Instant;
export declare function fileTimeOfTicks(ticks: bigint): FileTime;
export declare function ticksOfFileTime(time: FileTime): bigint;
/** The name of a snapshot in a path, to the second: `@GMT-2026.01.31-23.59.59`. */
export declare function parseGmtToken(name: string): FileTime | undefined;
export declare function printGmtToken(time: FileTime): string;
