import type { Instant } from "../../base/clock.ts";

/** FILETIME: ticks of 100 ns since 1601-01-01 UTC. */
export type FileTime = bigint;

const TICKS_PER_MILLISECOND = 10_000n;
const UNIX_EPOCH: FileTime = 116_444_736_000_000_000n;
/** Revisions of the store count the same ticks from the year 1. */
const YEAR_ONE_TO_1601 = 504_911_232_000_000_000n;

export function fileTimeAt(instant: Instant): FileTime {
  return BigInt(Math.floor(instant)) * TICKS_PER_MILLISECOND + UNIX_EPOCH;
}

export function instantAt(time: FileTime): Instant {
  return Number((time - UNIX_EPOCH) / TICKS_PER_MILLISECOND);
}

export function fileTimeOfTicks(ticks: bigint): FileTime {
  return ticks > YEAR_ONE_TO_1601 ? ticks - YEAR_ONE_TO_1601 : 0n;
}

export function ticksOfFileTime(time: FileTime): bigint {
  return time + YEAR_ONE_TO_1601;
}

const GMT = /^@GMT-(\d{4})\.(\d\d)\.(\d\d)-(\d\d)\.(\d\d)\.(\d\d)$/;

/** The name of a snapshot in a path, to the second: `@GMT-2026.01.31-23.59.59`. */
export function parseGmtToken(name: string): FileTime | undefined {
  const found = GMT.exec(name);
  if (found === null) return undefined;
  const [, year, month, day, hour, minute, second] = found;
  const instant = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // Date.parse accepts the 31st of every month.
  const time = Number.isNaN(instant) ? undefined : fileTimeAt(instant);
  return time !== undefined && printGmtToken(time) === name ? time : undefined;
}

export function printGmtToken(time: FileTime): string {
  const iso = new Date(instantAt(time)).toISOString();
  return `@GMT-${iso.slice(0, 10).replaceAll("-", ".")}-${iso.slice(11, 19).replaceAll(":", ".")}`;
}
