import { SqlError, type Value } from "./sql.ts";

/** Times in queries: ISO 8601 in and out, and their parts, all in UTC. */
const DATE_PARTS = ["year", "month", "day", "hour", "minute", "second"] as const;
export type DatePart = (typeof DATE_PARTS)[number];
const ZONE_PARTS = ["timezone_hour", "timezone_minute"] as const;
export type ExtractPart = DatePart | (typeof ZONE_PARTS)[number];

export function datePartOf(text: string): DatePart {
  const found = DATE_PARTS.find((part) => part === text.toLowerCase());
  if (found === undefined) throw new SqlError(`there is no part ${text.slice(0, 32)} of a time`);
  return found;
}

export function extractPartOf(text: string): ExtractPart {
  return ZONE_PARTS.find((part) => part === text.toLowerCase()) ?? datePartOf(text);
}

const ISO =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:[T ](?:(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** Any form of ISO 8601, from a year alone to fractions of a second; without an offset it is UTC. */
export function parseTimestamp(text: string): Date | null {
  const parts = ISO.exec(text.trim());
  if (parts === null) return null;
  const [year, month, day] = [Number(parts[1]), Number(parts[2] ?? 1), Number(parts[3] ?? 1)];
  const [hour, minute, second] = [Number(parts[4] ?? 0), Number(parts[5] ?? 0), Number(parts[6] ?? 0)];
  const millis = Number((parts[7] ?? "0").padEnd(3, "0").slice(0, 3));
  const time = new Date(0);
  time.setUTCFullYear(year, month - 1, day);
  time.setUTCHours(hour, minute, second, millis);
  const isReal =
    time.getUTCMonth() === month - 1 && time.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  return isReal ? new Date(time.getTime() - offsetMinutes(parts[8]) * 60_000) : null;
}

function offsetMinutes(text: string | undefined): number {
  const parts = /^([+-])(\d\d):?(\d\d)$/.exec(text ?? "");
  if (parts === null) return 0;
  return (parts[1] === "-" ? -1 : 1) * (Number(parts[2]) * 60 + Number(parts[3]));
}

const MILLIS = { day: 86_400_000, hour: 3_600_000, minute: 60_000, second: 1_000 } as const;

/** A day that the resulting month does not have becomes the last day of that month. */
export function addToDate(part: DatePart, quantity: number, time: Date): Date | null {
  const count = Math.trunc(quantity);
  if (part !== "year" && part !== "month")
    return validOrNull(new Date(time.getTime() + count * MILLIS[part]));
  const moved = new Date(time.getTime());
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + (part === "year" ? 12 * count : count));
  const last = new Date(moved.getTime());
  last.setUTCMonth(last.getUTCMonth() + 1, 0);
  moved.setUTCDate(Math.min(time.getUTCDate(), last.getUTCDate()));
  return validOrNull(moved);
}

function validOrNull(time: Date): Date | null {
  return Number.isNaN(time.getTime()) ? null : time;
}

/** Whole units from the first time to the second; negative when the second is earlier. */
export function dateDifference(part: DatePart, from: Date, to: Date): number {
  if (part !== "year" && part !== "month") return Math.trunc((to.getTime() - from.getTime()) / MILLIS[part]);
  let months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + (to.getUTCMonth() - from.getUTCMonth());
  const reached = addToDate("month", months, from)?.getTime() ?? 0;
  if (months > 0 && reached > to.getTime()) months--;
  else if (months < 0 && reached < to.getTime()) months++;
  return part === "year" ? Math.trunc(months / 12) : months;
}

const PARTS: Readonly<Record<DatePart, (time: Date) => number>> = {
  year: (time) => time.getUTCFullYear(),
  month: (time) => time.getUTCMonth() + 1,
  day: (time) => time.getUTCDate(),
  hour: (time) => time.getUTCHours(),
  minute: (time) => time.getUTCMinutes(),
  second: (time) => time.getUTCSeconds(),
};

/** A part of a time; the offset is that of the text it was given in. */
export function extractFrom(part: ExtractPart, time: Date, given: Value): number {
  if (part !== "timezone_hour" && part !== "timezone_minute") return PARTS[part](time);
  const minutes = typeof given === "string" ? offsetMinutes(ISO.exec(given.trim())?.[8]) : 0;
  return part === "timezone_hour" ? Math.trunc(minutes / 60) : minutes % 60;
}

const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

const padded = (value: number, digits: number): string => String(value).padStart(digits, "0");

/**
 * TO_STRING(time, format): letters stand for parts, all else for itself. Times are in UTC, so offsets are
 * zero.
 */
export function formatTimestamp(time: Date, format: string): string {
  const hour = time.getUTCHours();
  return format.replace(/y+|M+|d+|a|h+|H+|m+|s+|S+|X+|x+/g, (letters) => {
    const digits = letters.length;
    switch (letters[0]) {
      case "y":
        return digits === 2 ? padded(time.getUTCFullYear() % 100, 2) : padded(time.getUTCFullYear(), 4);
      case "M": {
        const name = MONTHS[time.getUTCMonth()]!;
        if (digits >= 4) return name;
        return digits === 3 ? name.slice(0, 3) : padded(time.getUTCMonth() + 1, digits);
      }
      case "d":
        return padded(time.getUTCDate(), digits);
      case "a":
        return hour < 12 ? "AM" : "PM";
      case "h":
        return padded(hour % 12 === 0 ? 12 : hour % 12, digits);
      case "H":
        return padded(hour, digits);
      case "m":
        return padded(time.getUTCMinutes(), digits);
      case "s":
        return padded(time.getUTCSeconds(), digits);
      case "S":
        return padded(time.getUTCMilliseconds(), 3).padEnd(digits, "0").slice(0, digits);
      case "X":
        return "Z";
      default:
        return digits === 1 ? "+00" : digits === 3 || digits === 5 ? "+00:00" : "+0000";
    }
  });
}
